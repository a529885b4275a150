/** What the player has in common with a media element: the same names, types and meanings. */
export type MediaSurface = Pick<HTMLVideoElement, "play" | "pause" | "currentTime" | "duration" | "paused" | "ended" | "seeking" | "muted" | "volume" | "playbackRate" | "played" | "buffered" | "seekable" | "readyState" | "networkState" | "textTracks" | "videoWidth" | "videoHeight">;
/** Why nothing plays. */
export type PlayerErrorKind = "token" | "forbidden" | "missing" | "network" | "unavailable" | "format" | "media";
export interface PlayerError {
    readonly kind: PlayerErrorKind;
    /** The status of the answer, 0 where there was none. */
    readonly status: number;
    /** What was wrong, for developers. What the viewer reads is in the player's language. */
    readonly message: string;
}
/** The detail of `filmstripeventrefused`: an event that the service does not take, or that could not be kept. */
export interface RefusedEvent {
    /** The status of the answer, 0 where there was none. */
    readonly status: number;
    readonly message: string;
    /** The body of the event. */
    readonly body: Record<string, unknown>;
}
/**
 * `<filmstrip-player>`: plays a video of the catalogue and tells the service what was played. It fires the
 * events of a media element, and `filmstripeventrefused`.
 */
export interface FilmstripPlayer extends HTMLElement, MediaSurface {
    /** The address of the video: its `self`. Attribute `src`. */
    src: string;
    /** The bearer token. Attribute `token`. */
    token: string;
    /** Gives a bearer token, a new one each time it is asked: at first, and when one has expired or was refused. */
    tokenProvider: (() => Promise<string>) | undefined;
    /** Goes along with each event, as it is at that moment: at most 32 members of 4 KiB together. */
    metadata: Record<string, unknown>;
    /** Where the part to be played begins and ends, in seconds. Attributes `start` and `end`. */
    start: number;
    end: number;
    /** At the latest after so many seconds of playing an event is sent: 1 to 600, 30 where nothing is said. Attribute `segment-seconds`. */
    segmentSeconds: number;
    /** An image in place of the video's own. Attribute `poster`. */
    poster: string;
    /** The title of the video; "" as long as it is not known. */
    readonly videoTitle: string;
    /** Why nothing plays; null where nothing is wrong. */
    readonly error: PlayerError | null;
    /** Words of your own for those of the player, by the names in the documentation. */
    strings: Record<string, string>;
    /** Tries again after an error, from where it was. */
    retry(): void;
    requestPictureInPicture(): Promise<PictureInPictureWindow>;
}
/** The class of the element, which is defined when the file is loaded. */
export declare const FilmstripPlayerElement: {
    new (): FilmstripPlayer;
    prototype: FilmstripPlayer;
};
declare global {
    interface HTMLElementTagNameMap {
        "filmstrip-player": FilmstripPlayer;
    }
    interface HTMLElementEventMap {
        "filmstripeventrefused": CustomEvent<RefusedEvent>;
    }
}
