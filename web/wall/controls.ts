import { byId } from './model.js';

const IDLE_MS = 4_000;

/** The few things that somebody at the projector does: full screen, the large code. */
export function addControls(): void {
  const fullscreen = byId('fullscreen');
  fullscreen.hidden = !document.fullscreenEnabled;
  fullscreen.addEventListener('click', toggleFullscreen);
  byId('show-code').addEventListener('click', toggleCode);
  byId('scene').addEventListener('click', toggleCode);
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key.toLowerCase();
    if (key === 'f') toggleFullscreen();
    if (key === 'q' || (key === 'escape' && !byId('scene').hidden)) toggleCode();
  });
  if (new URLSearchParams(location.search).get('scene') === 'qr') toggleCode();
  hideWhenIdle();
  document.addEventListener('visibilitychange', () => void stayAwake());
  void stayAwake();
}

function toggleFullscreen(): void {
  const done = document.fullscreenElement
    ? document.exitFullscreen()
    : document.documentElement.requestFullscreen();
  done.catch(() => undefined);
}

/** The code over the whole screen, for the far end of a hall. */
function toggleCode(): void {
  const scene = byId('scene');
  const code = document.querySelector('.qr svg');
  if (!code || (scene.hidden && byId('wall').dataset.status !== 'active')) return;
  const place = byId('scene-code');
  if (!place.firstChild) place.append(code.cloneNode(true));
  scene.hidden = !scene.hidden;
}

/** Nobody touches a wall: the pointer and the buttons go away. */
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

async function stayAwake(): Promise<void> {
  try {
    if (!document.hidden) await navigator.wakeLock.request('screen');
  } catch {
    // Only offered over https, and not everywhere.
  }
}
