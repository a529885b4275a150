/** The style sheet of the player. Pages customize it with its custom properties and with ::part. */
export const style = `
:host {
  --player-accent: var(--filmstrip-accent, #4da3ff);
  --player-ink: var(--filmstrip-ink, #fff);
  --player-ground: var(--filmstrip-ground, rgb(16 18 22 / .88));
  --player-size: var(--filmstrip-control-size, 40px);
  display: block; position: relative; aspect-ratio: var(--filmstrip-aspect-ratio, 16 / 9); min-width: 200px; overflow: hidden;
  background: #000; color: var(--player-ink); font: var(--filmstrip-font, 14px/1.4 system-ui, sans-serif);
}
:host([hidden]) { display: none; }
:host(:fullscreen) { aspect-ratio: auto; width: 100%; height: 100%; }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
.frame, video { position: absolute; inset: 0; width: 100%; height: 100%; }
.frame { outline: none; container-type: inline-size; }
video { object-fit: contain; }
video::cue { font-size: var(--filmstrip-captions-size, 1em); }
button { all: unset; box-sizing: border-box; cursor: pointer; min-width: var(--player-size); height: var(--player-size);
  display: inline-grid; place-items: center; border-radius: 6px; color: inherit; }
button:hover { background: rgb(255 255 255 / .16); }
button svg { width: 24px; height: 24px; fill: currentColor; }
:is(button, input, .frame, [role=menuitemradio]):focus-visible { outline: 3px solid var(--player-accent); outline-offset: -3px; }
.bar { position: absolute; inset: auto 0 0; display: flex; align-items: center; gap: 2px; padding: 2px 8px;
  background: var(--player-ground); transition: opacity .2s; }
.idle { cursor: none; }
.idle .bar:not(:has(:focus-visible)) { opacity: 0; }
.large { position: absolute; inset: 0; margin: auto; width: 76px; height: 76px; border-radius: 50%; background: var(--player-ground); }
.large:hover { background: var(--player-ground); color: var(--player-accent); }
.large svg { width: 44px; height: 44px; }
.timeline { position: relative; flex: 1; min-width: 40px; display: grid; align-items: center; height: var(--player-size); }
.time { padding: 0 6px; white-space: nowrap; font-variant-numeric: tabular-nums; }
input { appearance: none; -webkit-appearance: none; margin: 0; width: 100%; height: 20px; background: none; cursor: pointer; border-radius: 4px; }
.volume { width: 70px; flex: none; }
input::-webkit-slider-runnable-track { height: 6px; border-radius: 3px; background: linear-gradient(to right,
  var(--player-accent) var(--done, 0%), rgb(255 255 255 / .5) var(--done, 0%) var(--loaded, 0%), rgb(255 255 255 / .25) var(--loaded, 0%)); }
input::-moz-range-track { height: 6px; border-radius: 3px; background: linear-gradient(to right,
  var(--player-accent) var(--done, 0%), rgb(255 255 255 / .5) var(--done, 0%) var(--loaded, 0%), rgb(255 255 255 / .25) var(--loaded, 0%)); }
input::-webkit-slider-thumb { -webkit-appearance: none; width: 14px; height: 14px; margin-top: -4px; border-radius: 50%; background: var(--player-ink); }
input::-moz-range-thumb { border: 0; width: 14px; height: 14px; border-radius: 50%; background: var(--player-ink); }
.preview { position: absolute; bottom: 100%; width: 160px; padding: 2px; border-radius: 6px; background: var(--player-ground);
  text-align: center; pointer-events: none; }
.picture { height: 90px; border-radius: 4px; background: #000 no-repeat 0 0 / auto 100%; }
.choice { position: relative; }
.menu { position: absolute; bottom: 100%; right: 0; min-width: 120px; max-height: 220px; overflow: auto; padding: 4px; border-radius: 6px;
  background: var(--player-ground); }
[role=menuitemradio] { padding: 6px 12px 6px 28px; border-radius: 4px; cursor: pointer; white-space: nowrap; position: relative; }
[role=menuitemradio]:hover { background: rgb(255 255 255 / .16); }
[role=menuitemradio][aria-checked=true]::before { content: "✓"; position: absolute; left: 10px; }
.on { box-shadow: inset 0 -3px var(--player-accent); }
.error { position: absolute; inset: 0; display: grid; place-content: center; justify-items: center; gap: 12px; padding: 24px;
  background: rgb(16 18 22 / .94); text-align: center; }
.error p { margin: 0; max-width: 40em; }
.retry { padding: 0 16px; border: 2px solid currentColor; }
.spinner { position: absolute; inset: 0; margin: auto; width: 48px; height: 48px; border-radius: 50%; border: 4px solid rgb(255 255 255 / .3);
  border-top-color: var(--player-accent); animation: turn 1s linear infinite; pointer-events: none; }
.said { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@keyframes turn { to { transform: rotate(1turn); } }
@container (width < 420px) {
  .volume, .picture-in-picture { display: none; }
  .bar { flex-wrap: wrap; }
  .timeline { order: -1; flex-basis: 100%; height: 24px; }
  .time { margin-right: auto; }
}
@media (prefers-reduced-motion: reduce) { .bar { transition: none; } .spinner { animation-duration: 6s; } }
@media (forced-colors: active) { input { appearance: auto; -webkit-appearance: auto; } }
`;
