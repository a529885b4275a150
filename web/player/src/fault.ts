import type { PlayerError, PlayerErrorKind } from "./api";
import type { Strings } from "./strings";
import { Unanswered } from "./video";

const words: Record<PlayerErrorKind, keyof Strings> = {
  token: "errorToken", forbidden: "errorForbidden", missing: "errorMissing", network: "errorNetwork",
  unavailable: "errorUnavailable", format: "errorFormat", media: "errorMedia",
};

/** Fault is an error that keeps a video from playing. */
export class Fault extends Error implements PlayerError {
  readonly kind: PlayerErrorKind;
  readonly status: number;

  constructor(kind: PlayerErrorKind, status: number, message: string) {
    super(message);
    this.kind = kind;
    this.status = status;
  }

  /** The text for the viewer. */
  get words(): keyof Strings {
    return words[this.kind];
  }
}

/** faultOf converts a thrown value to a Fault. */
export function faultOf(error: unknown): Fault {
  if (error instanceof Fault) return error;
  if (!(error instanceof Unanswered)) return new Fault("format", 0, String(error));
  return new Fault(kindOf(error.status), error.status, error.message);
}

function kindOf(status: number): PlayerErrorKind {
  if (status === 0) return "network";
  if (status === 401) return "token";
  if (status === 403) return "forbidden";
  return status >= 500 || status === 429 ? "unavailable" : "missing";
}
