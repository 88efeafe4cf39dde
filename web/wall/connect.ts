import { io } from 'socket.io-client';
import { type FeedView, LiveFeed } from './live-feed.js';

/** Connects a page to the live channel of an event, and keeps it connected. */
export function connect(event: string, view: FeedView): void {
  const socket = io(location.origin, {
    path: new URL('../socket.io', location.href).pathname,
    // First tries WebSocket, which needs no sticky load balancer. Uses polling if a venue's network blocks WebSocket.
    transports: ['websocket', 'polling'],
    tryAllTransports: true,
    reconnectionDelay: 500,
    reconnectionDelayMax: 5_000,
    timeout: 8_000,
  });
  const feed = new LiveFeed(socket, event, view);
  // If the network disappears, the socket may still seem open for some time. So show the state immediately.
  addEventListener('offline', () => {
    view.connection('reconnecting');
  });
  addEventListener('online', () => {
    feed.join();
  });
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) feed.join();
  });
}
