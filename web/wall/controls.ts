import { stayAwake } from '../kit/stay-awake.js';
import type { Board } from './board.js';
import type { Chime } from './chime.js';
import { byId, overlayPart } from './model.js';
import type { Scene } from './scene.js';

const IDLE_MS = 4_000;
/** False in Safari before 16.4, and in a frame that does not allow full screen. */
// eslint-disable-next-line compat/compat -- undefined where it is absent
const hasFullscreen = document.fullscreenEnabled;

/** Adds the buttons at the projector: full screen, large QR code and sound; and the keys, also for the board. */
export function addControls(scene: Scene, board: Board, chime: Chime): void {
  const toggleCode = () => {
    scene.toggle();
  };
  const fullscreen = byId('fullscreen');
  fullscreen.hidden = !hasFullscreen;
  fullscreen.addEventListener('click', toggleFullscreen);
  byId('show-code').addEventListener('click', toggleCode);
  byId('sound').addEventListener('click', () => {
    chime.toggle();
  });
  byId('scene').addEventListener('click', toggleCode);
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key.toLowerCase();
    if (key === 'f') toggleFullscreen();
    if (key === 's') chime.toggle();
    if (key === 'b') board.toggle();
    if (key === 'q' || (key === 'escape' && scene.isShown)) toggleCode();
  });
  const wanted = new URLSearchParams(location.search).get('scene');
  if (wanted === 'qr') scene.want(true);
  if (wanted === 'board' || overlayPart() === 'board') board.want(true);
  hideWhenIdle();
  stayAwake();
}

function toggleFullscreen(): void {
  if (!hasFullscreen) return;
  /* eslint-disable compat/compat -- asked for above */
  const done = document.fullscreenElement
    ? document.exitFullscreen()
    : document.documentElement.requestFullscreen();
  /* eslint-enable compat/compat */
  done.catch(() => undefined);
}

/** Hides the pointer and the buttons while the user does nothing. */
function hideWhenIdle(): void {
  let idle = 0;
  const onActivity = () => {
    document.body.classList.remove('is-idle');
    clearTimeout(idle);
    idle = window.setTimeout(() => {
      document.body.classList.add('is-idle');
    }, IDLE_MS);
  };
  for (const type of ['pointermove', 'pointerdown', 'keydown']) addEventListener(type, onActivity);
  onActivity();
}
