/** The members that the player shares with a media element, with the same names, types and meanings. */
export type MediaSurface = Pick<HTMLVideoElement, "play" | "pause" | "currentTime" | "duration" | "paused" | "ended" | "seeking" | "muted" | "volume" | "playbackRate" | "played" | "buffered" | "seekable" | "readyState" | "networkState" | "textTracks" | "videoWidth" | "videoHeight">;
/** The error that keeps the video from playing. */
export type PlayerErrorKind = "token" | "forbidden" | "missing" | "network" | "unavailable" | "format" | "media";
export interface PlayerError {
    readonly kind: PlayerErrorKind;
    /** The status of the response, or 0 if there was none. */
    readonly status: number;
    /** The problem, for developers. Viewers see a text in the player's language. */
    readonly message: string;
}
/** The detail of `filmstripeventrefused`: an event that the service refused, or that the player could not keep. */
export interface RefusedEvent {
    /** The status of the response, or 0 if there was none. */
    readonly status: number;
    readonly message: string;
    /** The body of the event. */
    readonly body: Record<string, unknown>;
}
/**
 * `<filmstrip-player>`: plays a video of the catalogue and reports playback to the service. It fires the
 * events of a media element, and `filmstripeventrefused`.
 */
export interface FilmstripPlayer extends HTMLElement, MediaSurface {
    /** The address of the video: its `self`. Attribute `src`. */
    src: string;
    /** The bearer token. Attribute `token`. */
    token: string;
    /** Returns a new bearer token at each call. The player calls it at first, and when a token has expired or was refused. */
    tokenProvider: (() => Promise<string>) | undefined;
    /** Metadata that the player adds to each event, with its values at that moment: at most 32 members, 4 KiB together. */
    metadata: Record<string, unknown>;
    /** The start and end of the part to play, in seconds. Attributes `start` and `end`. */
    start: number;
    end: number;
    /** The maximum number of seconds of playback per event: 1 to 600, by default 30. Attribute `segment-seconds`. */
    segmentSeconds: number;
    /** Whether the player reports nothing, for staff who look at a video. Attribute `unreported`. */
    unreported: boolean;
    /** An image that replaces the video's own poster. Attribute `poster`. */
    poster: string;
    /** The title of the video, or "" until it is known. */
    readonly videoTitle: string;
    /** The error that keeps the video from playing, or null. */
    readonly error: PlayerError | null;
    /** Texts that replace those of the player, by the names in the documentation. */
    strings: Record<string, string>;
    /** Tries again after an error, at the last position. */
    retry(): void;
    requestPictureInPicture(): Promise<PictureInPictureWindow>;
}
/** The class of the element. Loading the file defines the element. */
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
