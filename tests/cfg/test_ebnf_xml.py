"""The grammar of XML, which uses all of W3C's notation, judged by Python's parser."""

from __future__ import annotations

from xml.parsers import expat

import pytest
import xml_grammar
from hypothesis import given, settings
from hypothesis import strategies as st

import formgate

# What the specification says in words and the productions do not.
IN_WORDS = {
    "mismatched tag",
    "undefined entity",
    "duplicate attribute",
    "reference to invalid character number",
    "unknown encoding",
    "encoding specified in XML declaration is incorrect",
    "XML declaration not well-formed",
}


def fault(text: str) -> str | None:
    """Return what Python's parser finds wrong; None for a well-formed document."""
    try:
        expat.ParserCreate().Parse(text.encode(), True)
    except expat.ExpatError as error:
        return expat.ErrorString(error.code)
    return None


@pytest.fixture(scope="module")
def engine(byte_vocabulary):
    return formgate.compile(xml_grammar.XML, byte_vocabulary)


DOCUMENTS = [
    "<a/>",
    '<?xml version="1.0" encoding="UTF-8"?>\n<a b="1" c=\'"\'>x&amp;y&#65;&#x42;</a>\n',
    "<!-- one --><?php echo '>' ?><a><!----><b\n/> <![CDATA[ <&]] ]]></a>",
    "<é:ü _x.y-z='·'/>",
    "<a>]] &gt; ]]&gt;</a>",
]
BROKEN = [
    "",
    "<a>",
    "<a",
    "<1/>",
    "<a b=1/>",
    "<a b='<'/>",
    "<a>&</a>",
    "<a>]]></a>",
    "<!-- -- --><a/>",
    "<!-- --->",
    "<a><!-- ---></a>",
    "<?XML x?><a/>",
    "<a><?xml x?></a>",
    "<a/><b/>",
    " <?xml version='1.0'?><a/>",
    "<a><!--\x01--></a>",
    "<a><!--\ufffe--></a>",
]


def test_documents(engine):
    for text in DOCUMENTS:
        assert fault(text) is None, text
        assert engine.accepts(text), text
        assert engine.is_prefix(text[: len(text) // 2])
    for text in BROKEN:
        assert fault(text) not in {None, *IN_WORDS}, text
        assert not engine.accepts(text), text


FEW = st.sampled_from(list("<>/?!-=\"'&; a[]#x:1"))


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(DOCUMENTS[2:]), st.integers(0, 90), st.integers(0, 2), st.text(FEW, max_size=3)
)
def test_changed_documents(engine, text, place, cut, inserted):
    """Without an XML declaration, of which the parser does not check the version."""
    changed = text[:place] + inserted + text[place + cut :]
    found = fault(changed)
    if found not in IN_WORDS:
        assert engine.accepts(changed) == (found is None), (changed, found)
