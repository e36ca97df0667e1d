def test_an_unknown_address_is_answered_with_a_page(client, db):
    answer = client.get("/no-such-page")

    assert answer.status_code == 404
    assert "There is no such page" in answer.content.decode()


def test_no_page_allows_a_script_or_a_style_of_its_own(client, db):
    policy = client.get("/login/").headers["Content-Security-Policy"]

    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
