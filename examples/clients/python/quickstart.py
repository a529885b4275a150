"""First requests to Filmstrip with the client that openapi-python-client generates."""

import os
import uuid
from typing import TypeVar

import httpx

from generated import AuthenticatedClient, Client
from generated.api.access import get_token
from generated.api.events import record_playback
from generated.api.index import get_index
from generated.api.reference_data import get_subjects
from generated.api.videos import get_video, search_videos
from generated.models import (
    Index,
    Link,
    PlaybackEvent,
    Subjects,
    Token,
    TokenRequest,
    TokenRequestGrantType,
    Video,
    VideoSearch,
)

BASE_URL = os.environ["BASE_URL"]

T = TypeVar("T")


def expect(kind: type[T], answer: object) -> T:
    """Return the answer if it is of this kind; otherwise it is the API's error."""
    if not isinstance(answer, kind):
        raise RuntimeError(str(answer))
    return answer


def titles(page: VideoSearch) -> str:
    return ", ".join(video.title for video in page.field_embedded.videos)


with Client(base_url=BASE_URL, raise_on_unexpected_status=True) as anonymous:
    request = TokenRequest(
        grant_type=TokenRequestGrantType.CLIENT_CREDENTIALS, client_id="demo", client_secret="demo-secret"
    )
    token = expect(Token, get_token.sync(client=anonymous, body=request))

with AuthenticatedClient(base_url=BASE_URL, token=token.access_token, raise_on_unexpected_status=True) as client:
    index = expect(Index, get_index.sync(client=client))
    print("Search at", expect(Link, index.field_links.search_videos).href)

    found = expect(
        VideoSearch,
        search_videos.sync(client=client, query="water", language=["eng"], duration_max="PT10M", size=3),
    )
    print(f"{found.page.total_elements} videos: {titles(found)}")
    response = client.get_httpx_client().get(expect(Link, found.field_links.next_).href).raise_for_status()
    page = VideoSearch.from_dict(response.json())
    print(f"Page {page.page.number + 1}: {titles(page)}")

    video = expect(Video, get_video.sync(found.field_embedded.videos[0].id, client=client))
    playlist = httpx.get(expect(Link, video.playback.field_links.hls_stream).href).raise_for_status().text
    print(f"{video.title} ({video.playback.duration}): {playlist.splitlines()[0]}")

    event = PlaybackEvent(
        video_id=video.id, segment_start_seconds=0, segment_end_seconds=12.5, user_id="pupil-7"
    )
    recorded = record_playback.sync_detailed(client=client, body=event, idempotency_key=str(uuid.uuid4()))
    if recorded.status_code != 201:
        raise RuntimeError(str(recorded.parsed))
    print("12.5 seconds are reported.")

    subjects = expect(Subjects, get_subjects.sync(client=client))
    print("Subjects:", ", ".join(subject.name for subject in subjects.field_embedded.subjects))
