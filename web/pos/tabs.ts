/** Notifies the other tabs of this terminal that stored data has changed. */
export interface Tabs {
  announce(): void;
}

/** @param onChange called when another tab announced a change under `name` */
export function tabs(name: string, onChange: () => void): Tabs {
  // Safari before 15.4 has no channels. There a change of `localStorage` notifies the other tabs.
  if (!('BroadcastChannel' in globalThis)) return storageTabs(name, onChange);
  // eslint-disable-next-line compat/compat -- asked for above
  const channel = new BroadcastChannel(name);
  channel.onmessage = onChange;
  return { announce: () => channel.postMessage('changed') };
}

function storageTabs(name: string, onChange: () => void): Tabs {
  addEventListener('storage', ({ key }) => {
    if (key === name) onChange();
  });
  return {
    announce: () => {
      try {
        localStorage.setItem(name, `${Date.now()} ${Math.random()}`);
      } catch {
        // A private window may have no storage. Then other tabs see the change only when they load the next time.
      }
    },
  };
}
