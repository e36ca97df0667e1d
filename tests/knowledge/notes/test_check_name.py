import pytest

from knowledge.errors import ContentUnfit, NameUnfit
from knowledge.notes.entries.names import check_content, check_name


@pytest.mark.requirement("CT-11")
@pytest.mark.parametrize(
    "name",
    [
        "",
        "   ",
        ".",
        "..",
        "a/b",
        "a\\b",
        "/etc/passwd",
        "a..b",
        ".hidden",
        "ends.",
        " a",
        "a ",
        "a\x00",
        "a\tb",
        "a\nb",
        "a\x7f",
        "a\x85b",
        "a\u2028b",
        "\ud800",
        "x" * 201,
    ],
)
def test_it_refuses_what_could_not_be_a_file_s_name(name):
    with pytest.raises(NameUnfit):
        check_name(name)


@pytest.mark.parametrize("name", ["a", "a.b", "My cat", "我有猫", "🐈", "é" * 200, "-", "a:b"])
def test_it_takes_every_other(name):
    check_name(name)


@pytest.mark.parametrize("content", ["a\x00b", "\ud800", "🐈\udfff"])
def test_it_refuses_a_content_that_cannot_come_back(content):
    with pytest.raises(ContentUnfit):
        check_content(content)


@pytest.mark.parametrize("content", ["", "\x01\r\n\u2028", "🐈\uffff", "\ue000"])
def test_it_takes_every_other_content(content):
    check_content(content)
