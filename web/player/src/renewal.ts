import type { HlsConfig, Loader, LoaderCallbacks, LoaderConfiguration, LoaderContext, LoaderStats } from "hls.js";

type LoaderClass = HlsConfig["loader"];

/** The statuses of responses to an address whose signature has expired. */
const expired = new Set([403, 410]);

/**
 * Renewals knows the past and current addresses of a stream. The addresses of its files begin with
 * that of its folder, so each file is requested at the newest address, whatever its playlist's address was.
 */
export class Renewals {
  #folders: string[];
  #renew: () => Promise<string>;
  #underway: Promise<void> | undefined;

  /** renew requests a new address from the service. */
  constructor(address: string, renew: () => Promise<string>) {
    this.#folders = [folderOf(address)];
    this.#renew = renew;
  }

  /** Returns the current address of a file. */
  current(address: string): string {
    const newest = this.#folders.at(-1)!;
    const folder = this.#folders.find((one) => address.startsWith(one));
    return folder === undefined ? address : newest + address.slice(folder.length);
  }

  /** Requests a new address, unless one has arrived since this file was requested. */
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

/** renewing returns a loader that renews an expired address of the stream and continues with the new one. */
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
