import type { HlsConfig, Loader, LoaderCallbacks, LoaderConfiguration, LoaderContext, LoaderStats } from "hls.js";

type LoaderClass = HlsConfig["loader"];

/** Answers to an address that is signed for a time that is over. */
const expired = new Set([403, 410]);

/**
 * Renewals knows the addresses under which one stream was and is to be had. Those of its files begin with
 * that of its folder; so a file is asked for under the newest, whatever the playlist before it was.
 */
export class Renewals {
  #folders: string[];
  #renew: () => Promise<string>;
  #underway: Promise<void> | undefined;

  /** renew gets a new address from the service. */
  constructor(address: string, renew: () => Promise<string>) {
    this.#folders = [folderOf(address)];
    this.#renew = renew;
  }

  /** The address of a file as it is now. */
  current(address: string): string {
    const newest = this.#folders.at(-1)!;
    const folder = this.#folders.find((one) => address.startsWith(one));
    return folder === undefined ? address : newest + address.slice(folder.length);
  }

  /** Gets a new address, unless there is one already since this one was asked for. */
  async renew(refused: string): Promise<void> {
    if (this.current(refused) !== refused) return;
    this.#underway ??= this.#renew()
      .then((address) => {
        if (!this.#folders.includes(folderOf(address))) this.#folders.push(folderOf(address));
      })
      .finally(() => { this.#underway = undefined; });
    await this.#underway;
  }
}

function folderOf(address: string): string {
  const [path = ""] = address.split(/[?#]/);
  return path.slice(0, path.lastIndexOf("/") + 1);
}

/** renewing makes a loader that gets a new address of the stream where one has expired, and goes on with that. */
export function renewing(Base: LoaderClass, renewals: Renewals): LoaderClass {
  return class implements Loader<LoaderContext> {
    #config: HlsConfig;
    #inner: Loader<LoaderContext>;
    #ended = false;
    context: LoaderContext | null = null;

    constructor(config: HlsConfig) {
      this.#config = config;
      this.#inner = new Base(config);
    }

    get stats(): LoaderStats { return this.#inner.stats; }

    getCacheAge(): number | null { return this.#inner.getCacheAge?.() ?? null; }

    getResponseHeader(name: string): string | null { return this.#inner.getResponseHeader?.(name) ?? null; }

    abort(): void {
      this.#ended = true;
      this.#inner.abort();
    }

    destroy(): void {
      this.#ended = true;
      this.#inner.destroy();
    }

    load(context: LoaderContext, config: LoaderConfiguration, callbacks: LoaderCallbacks<LoaderContext>): void {
      this.context = context;
      this.#attempt(context, config, callbacks, true);
    }

    #attempt(context: LoaderContext, config: LoaderConfiguration, callbacks: LoaderCallbacks<LoaderContext>, first: boolean): void {
      context.url = renewals.current(context.url);
      this.#inner.load(context, config, {
        ...callbacks,
        onError: (error, failed, details, stats) => {
          if (!first || !expired.has(error.code)) {
            callbacks.onError(error, failed, details, stats);
            return;
          }
          const again = () => {
            if (this.#ended) return;
            this.#inner = new Base(this.#config);
            this.#attempt(context, config, callbacks, false);
          };
          renewals.renew(context.url).then(again, () => callbacks.onError(error, failed, details, stats));
        },
      });
    }
  } as unknown as LoaderClass;
}
