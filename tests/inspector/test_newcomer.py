"""What a newcomer wants to do first, found by what is written on the pages alone."""

import re
import zipfile

import pytest
from playwright.sync_api import Page, expect

from consolidation.embedding import reembed as reembedding
from consolidation.intake.accept import accept_events, end_session
from consolidation.models import Job
from knowledge.models import Changeset, Fact
from memory.models import EmbeddingSpace
from recall.answers.answer import recall
from recall.search.fuse import FusedQuestion
from tests.consolidation.profile.observed import synthesise
from tests.factories import make_ended_session, make_session, run_jobs, said
from tests.inspector.conftest import CHROMIUM
from tests.inspector.person.people import make_fact, make_person
from tests.inspector.test_in_the_browser import page, sign_in, troubles  # noqa: F401 - fixtures

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed; .ci/run installs it"),
]
# ruff: noqa: F811 - the fixtures are arguments
WORD = re.compile(r"\w+")


def tab(page: Page, name: str) -> None:
    page.get_by_role("navigation", name="Memory").get_by_role("link", name=name).click()


def talk(owner) -> None:
    """Have alice speak, end the conversation, and learn from it as the workers do."""
    session = make_session(owner.agent)
    lines = [said("My cat is called Minka."), said("A lovely name for a cat, Minka!", "assistant")]
    lines += [said("My sister is called Ana."), said("I see.", "assistant")]
    accept_events(agent=owner.agent, session=session, drafts=lines)
    run_jobs()
    end_session(session=session, reason="explicit")
    run_jobs()
    synthesise(owner)


def open_fact(page: Page, words: str) -> None:
    tab(page, "Facts")
    page.locator("#list .words a", has_text=words).click()


def forget(page: Page, words: str, button: str) -> None:
    open_fact(page, words)
    page.get_by_role("button", name="Forget …").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Forget 1 of your facts?")
    expect(page.locator("main")).to_contain_text("A lovely name for a cat, Minka!")
    page.get_by_role("button", name=button, exact=True).click()
    expect(page.locator(".notice")).to_contain_text("Forgotten: 1.")


def seen_by_the_agent(page: Page) -> str:
    """Return what an agent would see if asked about cat and sister, as the page tells it."""
    tab(page, "What it sees")
    page.get_by_label("If I asked").fill("What do my cat and my sister like?")
    page.get_by_role("button", name="Show").click()
    return "\n".join(page.locator("pre").all_inner_texts())


@pytest.mark.requirement("OC-71")
def test_a_person_sees_corrects_forgets_and_takes_along_what_is_known(page, troubles, porter):
    person, owner = make_person(porter)
    person.set_password("correct horse battery")
    person.save()
    talk(owner)
    page.goto("/")
    page.get_by_label("Login").fill("alice")
    page.get_by_label("Password").fill("correct horse battery")
    page.get_by_role("button", name="Sign in").click()

    # See what is known.
    page.get_by_role("link", name="Memory", exact=True).click()
    expect(page.locator("main")).to_contain_text("Minka")
    assert seen_by_the_agent(page).count("Minka") > 1

    # Find where it came from.
    open_fact(page, "Minka")
    expect(page.locator(".event.source")).to_contain_text("My cat is called Minka.")

    # Correct it.
    page.get_by_role("link", name="Correct").click()
    page.get_by_label("What is so").fill("Tilda")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Tilda")
    assert "Tilda" in seen_by_the_agent(page)

    # Forget it, and find it gone from the next prompt.
    forget(page, "Tilda", "Forget")
    seen = seen_by_the_agent(page)
    assert not {"Minka", "Tilda"} & set(WORD.findall(seen))
    assert "Ana" in seen

    # Take it back, and forget it for good.
    tab(page, "Forgotten")
    page.get_by_role("button", name="Take back").click()
    expect(page.locator(".notice")).to_contain_text("It is remembered again.")
    assert "Tilda" in seen_by_the_agent(page)
    forget(page, "Tilda", "Forget for good at once")
    assert "Tilda" not in seen_by_the_agent(page)
    tab(page, "Forgotten")
    expect(page.locator("main")).to_contain_text("gone for good")
    expect(page.get_by_role("button", name="Take back")).to_have_count(0)

    # Switch recall on and off.
    tab(page, "Overview")
    page.get_by_role("button", name="Switch on").click()
    page.get_by_role("button", name="Switch off").click()
    expect(page.get_by_role("button", name="Switch on")).to_be_visible()
    expect(page.locator("main")).to_contain_text("is told not to speak of earlier conversations")

    # Take it along.
    tab(page, "Privacy")
    with page.expect_download() as waited:
        page.get_by_role("button", name="Download everything").click()
    assert zipfile.ZipFile(waited.value.path()).testzip() is None
    assert troubles == []


def test_an_operator_reverts_a_run_retries_a_job_and_compares_spaces(
    page, troubles, operator, porter
):
    session = make_ended_session(porter, ["We planted tomatoes.", "The train was late."])
    recall(owner=session.owner, asked=FusedQuestion("What did we plant?", 5))
    other = EmbeddingSpace.objects.create(model="hashing", version="hashing-2", dimension=64)
    EmbeddingSpace.objects.filter(pk=other.pk).update(
        version=EmbeddingSpace.objects.current().version
    )
    other.refresh_from_db()
    reembedding.fill(other)
    bad = make_fact(session.owner, "nonsense")
    dead = Job.objects.create(
        kind="embed", key="1", state="dead", max_attempts=5, last_error_code="provider_refused"
    )
    page.goto("/")
    sign_in(page)
    page.get_by_role("link", name="Console").click()
    inside = page.get_by_role("navigation", name="Console")

    # Retry a dead job.
    page.get_by_role("button", name="Retry").first.click()
    expect(page.get_by_role("status").first).to_contain_text(f"Job {dead.pk} is due again.")
    dead.refresh_from_db()
    assert dead.state == "due"

    # Revert a bad run.
    inside.get_by_role("link", name="History").click()
    page.locator("tbody a").first.click()
    expect(page.locator("main")).to_contain_text("Knows nonsense")
    page.get_by_role("link", name="Revert this run").click()
    page.get_by_role("button", name="Revert this run").click()
    expect(page.get_by_role("status").first).to_contain_text("The run is taken back")
    assert not Fact.objects.filter(pk=bad.pk).exists()
    assert Changeset.objects.filter(origin="revert").count() == 1

    # Compare two spaces of vectors.
    inside.get_by_role("link", name="Vectors").click()
    page.get_by_role("button", name="Compare").click()
    expect(page.locator("main")).to_contain_text("over the 1 questions asked last")
    assert troubles == []
