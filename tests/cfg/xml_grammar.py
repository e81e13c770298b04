"""Productions of XML 1.0 (fifth edition), transcribed from the specification's notation.

Left out are the document type declaration and what is said in words: that start and end tags agree,
that attributes differ, that every character is a Char.
"""

XML = """
[1]  document      ::= prolog element Misc*
[2]  Char          ::= #x9 | #xA | #xD | [#x20-#xD7FF] | [#xE000-#xFFFD] | [#x10000-#x10FFFF]
                       /* any Unicode character, excluding the surrogate blocks, FFFE and FFFF */
[3]  S             ::= (#x20 | #x9 | #xD | #xA)+
[4]  NameStartChar ::= ":" | [A-Z] | "_" | [a-z] | [#xC0-#xD6] | [#xD8-#xF6] | [#xF8-#x2FF]
                     | [#x370-#x37D] | [#x37F-#x1FFF] | [#x200C-#x200D] | [#x2070-#x218F]
                     | [#x2C00-#x2FEF] | [#x3001-#xD7FF] | [#xF900-#xFDCF] | [#xFDF0-#xFFFD]
                     | [#x10000-#xEFFFF]
[4a] NameChar      ::= NameStartChar | "-" | "." | [0-9] | #xB7 | [#x0300-#x036F] | [#x203F-#x2040]
[5]  Name          ::= NameStartChar (NameChar)*
[9]  EntityValue   ::= '"' ([^%&"] | Reference)* '"' | "'" ([^%&'] | Reference)* "'"
[10] AttValue      ::= '"' ([^<&"] | Reference)* '"' | "'" ([^<&'] | Reference)* "'"
[11] SystemLiteral ::= ('"' [^"]* '"') | ("'" [^']* "'")
[12] PubidLiteral  ::= '"' PubidChar* '"' | "'" (PubidChar - "'")* "'"
[13] PubidChar     ::= #x20 | #xD | #xA | [a-zA-Z0-9] | [-'()+,./:=?;!*#@$_%]
[14] CharData      ::= [^<&]* - ([^<&]* ']]>' [^<&]*)
[15] Comment       ::= '<!--' ((Char - '-') | ('-' (Char - '-')))* '-->'
[16] PI            ::= '<?' PITarget (S (Char* - (Char* '?>' Char*)))? '?>'
[17] PITarget      ::= Name - (('X' | 'x') ('M' | 'm') ('L' | 'l'))
[18] CDSect        ::= CDStart CData CDEnd
[19] CDStart       ::= '<![CDATA['
[20] CData         ::= (Char* - (Char* ']]>' Char*))
[21] CDEnd         ::= ']]>'
[22] prolog        ::= XMLDecl? Misc*
[23] XMLDecl       ::= '<?xml' VersionInfo EncodingDecl? SDDecl? S? '?>'
[24] VersionInfo   ::= S 'version' Eq ("'" VersionNum "'" | '"' VersionNum '"')
[25] Eq            ::= S? '=' S?
[26] VersionNum    ::= '1.' [0-9]+
[27] Misc          ::= Comment | PI | S
[32] SDDecl        ::= S 'standalone' Eq (("'" ('yes' | 'no') "'") | ('"' ('yes' | 'no') '"'))
[39] element       ::= EmptyElemTag | STag content ETag
[40] STag          ::= '<' Name (S Attribute)* S? '>'
[41] Attribute     ::= Name Eq AttValue
[42] ETag          ::= '</' Name S? '>'
[43] content       ::= CharData? ((element | Reference | CDSect | PI | Comment) CharData?)*
[44] EmptyElemTag  ::= '<' Name (S Attribute)* S? '/>'
[66] CharRef       ::= '&#' [0-9]+ ';' | '&#x' [0-9a-fA-F]+ ';'
[67] Reference     ::= EntityRef | CharRef
[68] EntityRef     ::= '&' Name ';'
[75] ExternalID    ::= 'SYSTEM' S SystemLiteral | 'PUBLIC' S PubidLiteral S SystemLiteral
[80] EncodingDecl  ::= S 'encoding' Eq ('"' EncName '"' | "'" EncName "'" )
[81] EncName       ::= [A-Za-z] ([A-Za-z0-9._] | '-')*
"""
