"""`conversations.json` of a Claude export."""

from collections.abc import Iterator, Mapping

from consolidation.intake.exports.shape import dated, moment, objects, of_one_person, row, text

ROLES = {"human": "user", "assistant": "assistant"}
Json = Mapping[str, object]


def recognises(document: object) -> bool:
    conversations = objects(document)
    return bool(conversations) and all("chat_messages" in each for each in conversations)


def rows(document: object) -> Iterator[dict[str, object]]:
    conversations = objects(document)
    of_one_person(_account(conversation) for conversation in conversations)
    for conversation in conversations:
        messages = [
            row(ROLES[sender], words, conversation.get("uuid"), moment(each.get("created_at")))
            for each in objects(conversation.get("chat_messages"))
            if (sender := text(each.get("sender"))) in ROLES and (words := _words(each))
        ]
        yield from dated(messages, moment(conversation.get("created_at")))


def _account(conversation: Json) -> object:
    account = conversation.get("account")
    return account.get("uuid") if isinstance(account, Mapping) else None


def _words(message: Json) -> str:
    """Return what was said, without thoughts and calls of tools."""
    blocks = objects(message.get("content"))
    said = [text(block.get("text")) for block in blocks if block.get("type") == "text"]
    return "\n".join(filter(None, said)) or text(message.get("text"))
