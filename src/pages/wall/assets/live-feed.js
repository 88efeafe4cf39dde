/**
 * The client's side of the live channel: keeps its place in the feed, holds what comes ahead of it, and asks
 * for what is missing. Knows nothing of pages.
 *
 * The rule: apply messages in the order of `sequence`; ignore what is at or below the last one; hold what is
 * ahead, and when it stays ahead, join again with `since`.
 */
export class LiveFeed {
  /** The last sequence applied; null before the first answer. */
  #last = null;
  #ahead = new Map();
  #joining = false;
  #gapTimer = 0;
  #retryTimer = 0;
  #totalsAt = -1;

  /**
   * @param {object} socket a Socket.IO client socket
   * @param {string} event id or slug
   * @param {object} page `snapshot(s)`, `apply(topic, body, live)`, `totals(t)`, `status(state, error)`
   */
  constructor(socket, event, page) {
    this.socket = socket;
    this.event = event;
    this.page = page;
    socket.on('connect', () => this.join());
    socket.on('disconnect', (reason) => this.#lost(reason));
    socket.on('connect_error', () => this.page.status('reconnecting'));
    for (const topic of ['donation.created', 'donation.updated', 'donation.retracted'])
      socket.on(topic, (body) => this.#receive(topic, body));
    socket.on('event.totals', (totals) => this.#receiveTotals(totals));
  }

  /** Joins, or joins again to learn what is missing; a connection that does not answer is made anew. */
  join() {
    if (this.#joining || !this.socket.connected) return;
    this.#joining = true;
    clearTimeout(this.#gapTimer);
    this.#gapTimer = 0;
    const request = this.#last === null ? { snapshot: true } : { since: this.#last };
    const { id } = this.socket;
    this.socket.timeout(8_000).emit('joinEvent', { eventId: this.event, ...request }, (late, answer) => {
      // The answer to a connection that is gone says nothing about this one.
      if (this.socket.id !== id) return;
      this.#joining = false;
      if (late) this.socket.disconnect().connect();
      else if (answer.error) this.#refused(answer.error);
      else this.#joined(answer);
    });
  }

  #joined({ sequence, snapshot }) {
    if (snapshot) {
      this.#last = sequence;
      this.#totalsAt = -1;
      this.page.snapshot(snapshot);
      this.#receiveTotals(snapshot);
    }
    for (const place of [...this.#ahead.keys()].sort((a, b) => a - b))
      if (place <= sequence) this.#take(place, false);
    this.#last = Math.max(this.#last ?? 0, sequence);
    this.#drain(true);
    this.page.status('live');
  }

  #refused(error) {
    this.page.status('refused', error);
    clearTimeout(this.#retryTimer);
    this.#retryTimer = setTimeout(() => this.join(), 5_000 + Math.random() * 5_000);
  }

  #lost(reason) {
    this.#joining = false;
    this.page.status('reconnecting');
    // The library comes back by itself, except when the server said goodbye.
    if (reason === 'io server disconnect')
      setTimeout(() => this.socket.connect(), 5_000 + Math.random() * 5_000);
  }

  #receive(topic, body) {
    if (this.#last !== null && body.sequence <= this.#last) return;
    this.#ahead.set(body.sequence, { topic, body });
    if (this.#last === null) return;
    // While joining, what comes is what was missed: no reason to celebrate it again.
    this.#drain(!this.#joining);
    if (this.#ahead.size > 0) this.#noticeGap();
  }

  #receiveTotals(totals) {
    if (totals.sequence >= this.#totalsAt) {
      this.#totalsAt = totals.sequence;
      this.page.totals(totals);
    }
    if (this.#last !== null && totals.sequence > this.#last) this.#noticeGap();
  }

  /** Not at once, and not all walls of a hall together: what is missing is often just about to come. */
  #noticeGap() {
    if (this.#gapTimer || this.#joining) return;
    const noticed = this.#last;
    this.#gapTimer = setTimeout(
      () => {
        this.#gapTimer = 0;
        if (this.#last === noticed) this.join();
        else if (this.#ahead.size > 0) this.#noticeGap();
      },
      300 + Math.random() * 700,
    );
  }

  #drain(live) {
    while (this.#ahead.has(this.#last + 1)) this.#take(this.#last + 1, live);
    for (const place of this.#ahead.keys()) if (place <= this.#last) this.#ahead.delete(place);
  }

  #take(place, live) {
    const { topic, body } = this.#ahead.get(place);
    this.#ahead.delete(place);
    if (place <= this.#last) return;
    this.#last = place;
    this.page.apply(topic, body, live);
  }
}
