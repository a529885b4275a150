/** The actions of keys. Positions and steps are in seconds, shares from 0 to 1. */
export interface KeyActions {
  toggle(): void;
  jump(seconds: number): void;
  goTo(share: number): void;
  louder(by: number): void;
  faster(steps: number): void;
  mute(): void;
  captions(): void;
  fullscreen(): void;
}

/** onKey runs the action of a key, and reports whether the key has one. */
export function onKey(event: KeyboardEvent, does: KeyActions): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return false;
  const target = event.composedPath()[0] as HTMLElement;
  const onButton = target instanceof HTMLButtonElement;
  const onVolume = target instanceof HTMLInputElement && target.part.contains("volume");
  const actions: Record<string, (() => void) | undefined> = {
    " ": onButton ? undefined : does.toggle, // a button is pressed by it
    k: does.toggle,
    ArrowLeft: onVolume ? undefined : () => does.jump(-5),
    ArrowRight: onVolume ? undefined : () => does.jump(5),
    j: () => does.jump(-10),
    l: () => does.jump(10),
    ArrowUp: () => does.louder(0.05),
    ArrowDown: () => does.louder(-0.05),
    Home: () => does.goTo(0),
    End: () => does.goTo(1),
    "<": () => does.faster(-1),
    ">": () => does.faster(1),
    m: does.mute,
    c: does.captions,
    f: does.fullscreen,
  };
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const action = /^[0-9]$/.test(key) ? () => does.goTo(Number(key) / 10) : actions[key];
  if (!action) return false;
  event.preventDefault();
  action();
  return true;
}
