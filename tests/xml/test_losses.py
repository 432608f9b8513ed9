"""Whatever recovery loses is noticed; what it only writes in another way is not."""

from harvester.xml.recovery import missing
from tests.rows import each_row


@each_row(
    "before, after",
    [
        ("<a><b>x</a>", "<a><b>x</b></a>"),
        ("<a b='1'  c=\"2\"/>", '<a c="2" b="1"></a>'),
        ("<a b='&quot;&#233;'>&lt; y</a>", '<a b="&quot;é">&lt;\ny</a>'),
        ("<a><![CDATA[<b> & c]]></a>", "<a>&lt;b&gt; &amp; c</a>"),
        ("<a><!-- <c/> --><?p i?>x</a>", "<a>x</a>"),
        ("<a>x", '<a xmlns="urn:a" xmlns:b="urn:b">x</a>'),
    ],
)
def test_what_is_only_written_in_another_way_is_there(before: str, after: str):
    assert missing(before, after) == ""


@each_row(
    "before, after, expected",
    [
        ("<a><b/>x<b/></a>", "<a><b/>x</a>", "1 of 3 elements were lost"),
        ("<a b='1' c='2'/>", "<a b='1'/>", "1 of 2 attributes were lost"),
        ("<a b='1'/>", "<a b='2'/>", "1 of 1 attributes were lost"),
        ("<a b='1'y'>x</a>", "<a b='1'>x</a>", "2 of 3 characters were lost"),
        ("<a>x &y z</a>", "<a>x  z</a>", "2 of 4 characters were lost"),
        ("<a>x</a><b", "<a>x</a>", "2 of 3 characters were lost"),
        ("<a>xy</a>", "<a>yx</a>", "its text is no longer the same"),
        ("<a><b c='d'/>x</a>", "", "2 of 2 elements and 1 of 1 attributes and 1 of 1 characters were lost"),
    ],
)
def test_what_is_not_there_any_more_is_counted(before: str, after: str, expected: str):
    assert missing(before, after) == expected
