import pytest

from knowledge.errors import CommandRefused
from knowledge.notes.files.paths import listing, place_of, shown_size


@pytest.mark.parametrize(
    ("path", "parts"),
    [
        ("/memories", ()),
        ("/memories/", ()),
        ("/memories//a", ("a",)),
        ("/memories/a/../b", ("b",)),
        ("/memories/a/./b/", ("a", "b")),
        ("/memories/a\u2215b", ("a", "b")),
    ],
)
def test_a_path_names_a_place(path, parts):
    assert place_of(path).parts == parts


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("memories/a", "Path must start with /memories, got: memories/a"),
        ("/memoriesx", "Path must start with /memories, got: /memoriesx"),
        ("/etc/passwd", "Path must start with /memories, got: /etc/passwd"),
        ("/memories/..", "Path /memories/.. would escape /memories directory"),
        ("/memories/a/../../b", "Path /memories/a/../../b would escape /memories directory"),
    ],
)
def test_a_path_outside_is_refused(path, why):
    with pytest.raises(CommandRefused, match=f"^{why}$"):
        place_of(path)


@pytest.mark.parametrize(
    ("size", "shown"),
    [(0, "0B"), (512, "512B"), (1024, "1K"), (1536, "1.5K"), (5 << 20, "5M"), (5 << 40, "5120G")],
)
def test_a_size_is_short(size, shown):
    assert shown_size(size) == shown


def test_a_folder_is_listed_two_levels_deep_by_name():
    sizes = {"b.md": 1, "a/x.md": 2, "a/deep/y.md": 4, "a.md": 0, "a/deep/er/z.md": 1024}

    assert listing(place_of("/memories"), sizes).split("\n")[1:] == [
        "1.0K\t/memories",
        "1.0K\t/memories/a/",
        "1.0K\t/memories/a/deep/",
        "2B\t/memories/a/x.md",
        "0B\t/memories/a.md",
        "1B\t/memories/b.md",
    ]
