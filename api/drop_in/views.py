"""The addresses /v1/chat/completions and /v1/models."""

from collections.abc import Callable, Iterable, Mapping

import httpx2
from django.conf import settings
from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from api.authentication import caller_of
from api.drop_in.asked import Chat, chat_of
from api.drop_in.conversation import take_in
from api.drop_in.errors import as_chat_api
from api.drop_in.offline import chunks, completion
from api.drop_in.relay import Relay
from consolidation.chat import command
from consolidation.chat.asking import request_for, turn_of
from consolidation.chat.command import answer_command
from consolidation.chat.offline import MODEL, answer_offline
from consolidation.chat.prompt import RecalledBlock, remember_for, tokens_beside
from consolidation.chat.reply import is_offline
from memory.models import Session

STREAM = "text/event-stream"
# Of what the model's server says beside its answer, this goes on.
HANDED_ON = ("content-type", "retry-after", "x-request-id")
Failure = Callable[[Exception, Mapping[str, object]], Response | None]


class Whatever(DefaultContentNegotiation):
    """Clients of chat APIs accept a stream, JSON or nothing in particular: the body says which."""

    def select_renderer(
        self,
        request: Request,
        renderers: Iterable[BaseRenderer],
        format_suffix: str | None = None,
    ) -> tuple[BaseRenderer, str]:
        first = next(iter(renderers))
        return first, first.media_type or ""


class ChatApi(APIView):
    content_negotiation_class = Whatever

    def get_exception_handler(self) -> Failure:
        return as_chat_api


class Models(ChatApi):
    @extend_schema(exclude=True)
    def get(self, request: Request) -> Response:
        """List what answers: the model that stands in for any other name is the first."""
        name = MODEL if is_offline() else settings.OPENAI_CHAT_MODEL
        model = {"id": name, "object": "model", "created": 0, "owned_by": "recollect"}
        return Response({"object": "list", "data": [model]})


class ChatCompletions(ChatApi):
    @extend_schema(exclude=True)
    def post(self, request: Request) -> HttpResponseBase:
        """Keep what was said, ask memory, let the model answer, and keep the answer."""
        agent = caller_of(request).agent
        chat, has_no_model = chat_of(agent, request), is_offline()
        session = take_in(agent=agent, chat=chat)
        if chat.is_command:
            return _commanded(chat, session)
        beside = tokens_beside(chat.messages, chat.body.get("tools"))
        remembered = remember_for(session, beside=beside)
        respond = _offline if has_no_model else _online
        answer = respond(chat, session, remembered)
        answer["X-Recollect-Session"] = str(session.pk)
        answer["X-Recollect-Receipt"] = str(remembered.receipt or "")
        answer["X-Recollect-Degraded"] = remembered.degraded
        return answer


def _commanded(chat: Chat, session: Session) -> HttpResponseBase:
    answer = _words(chat, answer_command(session), command.MODEL)
    answer["X-Recollect-Session"] = str(session.pk)
    return answer


def _online(chat: Chat, session: Session, remembered: RecalledBlock) -> HttpResponseBase:
    turn = turn_of(session, remembered, request_for(chat.messages, remembered, chat.body))
    answer = turn.begin()
    if chat.is_streamed and answer.is_success:
        stream = StreamingHttpResponse(Relay(answer, turn), headers=_handed_on(answer))
        stream["Cache-Control"], stream["X-Accel-Buffering"] = "no-cache", "no"
        return _labelled(stream, str(turn.sent["model"]))
    whole = HttpResponse(turn.whole(answer), status=answer.status_code, headers=_handed_on(answer))
    return _labelled(whole, str(turn.sent["model"]))


def _offline(chat: Chat, session: Session, remembered: RecalledBlock) -> HttpResponseBase:
    return _words(chat, answer_offline(session, remembered), "offline")


def _words(chat: Chat, words: str, model: str) -> HttpResponseBase:
    """Return words of our own in the shape that was asked for."""
    if chat.is_streamed:
        return _labelled(StreamingHttpResponse(chunks(words), content_type=STREAM), model)
    return _labelled(Response(completion(words)), model)


def _labelled(response: HttpResponseBase, model: str) -> HttpResponseBase:
    response["X-Recollect-Model"] = model
    return response


def _handed_on(answer: httpx2.Response) -> dict[str, str]:
    return {name: answer.headers[name] for name in HANDED_ON if name in answer.headers}
