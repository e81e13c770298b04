"""Grammars of ANTLR4, written for these tests in the way such grammars are."""

JSON = r"""
/** RFC 8259, but for the ends of lines. */
grammar JSON;
json : value EOF ;
obj  : '{' pair (',' pair)* '}' | '{' '}' ;
pair : STRING ':' value ;
arr  : '[' value (',' value)* ']' | '[' ']' ;
value
    : STRING # text
    | NUMBER # number
    | obj    # object
    | arr    # array
    | 'true' # yes
    | 'false'
    | 'null'
    ;
STRING : '"' (ESC | SAFE)* '"' ;
fragment ESC : '\\' (["\\/bfnrt] | UNICODE) ;
fragment UNICODE : 'u' HEX HEX HEX HEX ;
fragment HEX : [0-9a-fA-F] ;
fragment SAFE : ~ ["\\\u0000-\u001F] ;
NUMBER : '-'? INT ('.' [0-9]+)? EXP? ;
fragment INT : '0' | [1-9] [0-9]* ;
fragment EXP : [Ee] [+\-]? [0-9]+ ;
WS : [ \t\n\r]+ -> skip ;
"""

ARITHMETIC = r"""
grammar Arithmetic;
options { language = Python3; }
start : expr EOF ;
expr
    : <assoc=right> left=expr '^' right=expr # Power
    | expr op=('*' | '/') expr
    | expr op+=('+' | '-') expr
    | '-' expr
    | '(' expr ')'
    | NUMBER
    ;
NUMBER : '0'..'9'+ ('.' '0'..'9'*)? ;
WS : (' ' | '\t')+ -> channel(HIDDEN) ;
"""

SMALL = r"""
grammar Small;

options { superClass = Base; }   // line 4
@header { package small; }

prog : stat* EOF ;
stat
    : ID '=' e=expr ';'                       # Assign
    | 'if' '(' expr ')' stat ('else' stat)?   # If
    | 'print' expr (',' expr)*? ';'           # Print
    | '{' stat* '}'                           # Block
    | {self.allowed()}? ';' { print("}") }    # Empty
    ;
expr
    : expr ('*' | '/') expr
    | expr ('+' | '-') expr
    | '(' expr ')'
    | INT | FLOAT | ID | STR
    ;
IF  : 'if' ;
INT : DIGIT+ ;
FLOAT : DIGIT+ '.' DIGIT* ;
ID : [a-zA-Z_] [a-zA-Z_0-9]* ;
STR : '"' ( '\\' . | . )*? '"' ;
COMMENT : '/*' .*? '*/' -> channel(HIDDEN) ;
LINE : '//' ~[\r\n]* -> skip ;
WS : [ \t\r\n]+ -> skip ;
fragment DIGIT : [0-9] ;
"""
