import { Celebration } from './celebration.js';
import { Formats } from './format.js';

/** Donations that are kept on the page; as many show as fit. */
const KEPT_DONATIONS = 30;
const COUNT_UP_MS = 1_200;
const ANNOUNCE_EVERY_MS = 6_000;

const byId = (id) => document.getElementById(id);

/** What is on the screen. Changes are collected and drawn once a frame, however many donations come. */
export class WallPage {
  /** The newest first. */
  #donations = [];
  #fresh = new Set();
  #totals = null;
  #shownTotal = 0;
  #counting = 0;
  #frame = 0;
  #news = null;
  #announced = 0;

  constructor(config) {
    this.config = config;
    this.formats = new Formats(config);
    this.celebration = new Celebration(byId('celebration'));
    addEventListener('resize', () => this.#fitTotal());
    setInterval(() => this.#announce(), ANNOUNCE_EVERY_MS);
  }

  /** Everything anew. */
  snapshot({ donations }) {
    this.#donations = donations;
    this.#draw();
  }

  /** One message of the feed; `live` when it happens now and is not a replay. */
  apply(topic, donation, live) {
    const known = this.#donations.findIndex(({ id }) => id === donation.id);
    if (topic === 'donation.retracted') {
      if (known >= 0) this.#donations.splice(known, 1);
      this.celebration.remove(donation.id);
    } else if (known >= 0) {
      this.#donations[known] = donation;
      this.celebration.update(this.#praise(donation));
    } else if (topic === 'donation.created') {
      this.#donations.unshift(donation);
      this.#fresh.add(donation.id);
      this.#news = donation;
      if (live && this.#isLarge(donation)) this.celebration.add(this.#praise(donation));
    } else {
      // It counts again, such as after a refund that failed: back to where its time is.
      const place = this.#donations.findIndex(({ createdAt }) => createdAt < donation.createdAt);
      if (place >= 0) this.#donations.splice(place, 0, donation);
    }
    this.#donations.length = Math.min(this.#donations.length, KEPT_DONATIONS);
    this.#draw();
  }

  /** The totals as the books have them. */
  totals(totals) {
    const before = this.#totals;
    this.#totals = totals;
    const reached =
      before && before.goalAmount === totals.goalAmount && before.totalRaised < totals.goalAmount;
    if (reached && totals.totalRaised >= totals.goalAmount && totals.goalAmount > 0)
      this.celebration.add({
        id: 'goal',
        thanks: this.config.texts.goalReached,
        amount: this.formats.money(totals.totalRaised, totals.currency),
      });
    this.#draw();
    this.#countTo(totals.totalRaised);
  }

  /** `live`, `reconnecting` or `refused`. */
  status(state, error) {
    byId('status').hidden = state === 'live';
    const text =
      state === 'refused' && error?.statusCode === 404
        ? this.config.texts.gone
        : this.config.texts.reconnecting;
    byId('status-text').textContent = state === 'live' ? '' : text;
    document.documentElement.dataset.state = state;
  }

  #isLarge({ amount, currency }) {
    const { celebrateFrom } = this.config;
    return celebrateFrom !== null && currency === this.#totals?.currency && amount >= celebrateFrom;
  }

  #praise(donation) {
    const { thanks, thanksUnnamed } = this.config.texts;
    const named = donation.donorName !== 'Anonymous';
    return {
      id: donation.id,
      thanks: named ? this.formats.fill(thanks, { name: donation.donorName }) : thanksUnnamed,
      amount: this.formats.money(donation.amount, donation.currency),
      message: donation.message,
    };
  }

  #draw() {
    if (this.#frame) return;
    const draw = () => {
      this.#frame = 0;
      this.#drawFeed();
      this.#drawTotals();
    };
    // A page in the background gets no frames and still must be right.
    this.#frame = document.hidden ? setTimeout(draw, 100) : requestAnimationFrame(draw);
  }

  #drawFeed() {
    const feed = byId('feed');
    const items = new Map([...feed.children].map((item) => [item.dataset.id, item]));
    this.#donations.forEach((donation, index) => {
      const item = items.get(donation.id) ?? this.#newItem(donation.id);
      items.delete(donation.id);
      this.#fillItem(item, donation);
      // Only what is elsewhere is moved: a moved item would begin its animation again.
      if (feed.children[index] !== item) feed.insertBefore(item, feed.children[index] ?? null);
    });
    for (const item of items.values()) item.remove();
    this.#fresh.clear();
    byId('empty').hidden = this.#donations.length > 0 || !this.#totals;
  }

  #newItem(id) {
    const item = document.createElement('li');
    item.className = this.#fresh.has(id) ? 'donation donation--new' : 'donation';
    item.dataset.id = id;
    item.innerHTML =
      '<p class="donation__line"><bdi class="donation__name"></bdi><span class="donation__amount"></span></p><p class="donation__message" dir="auto"></p>';
    return item;
  }

  #fillItem(item, donation) {
    const set = (part, text) => {
      const element = item.querySelector(`.donation__${part}`);
      if (element.textContent !== text) element.textContent = text;
      element.hidden = text === '';
    };
    set('name', this.formats.donorName(donation.donorName));
    set('amount', this.formats.money(donation.amount, donation.currency));
    set('message', donation.message ?? '');
  }

  #drawTotals() {
    const totals = this.#totals;
    if (!totals) return;
    const { formats, config } = this;
    const { goalAmount, totalRaised, currency, donorCount } = totals;
    byId('donors').textContent = formats.number.format(donorCount);
    byId('donors-label').textContent = formats.donors(donorCount);
    const part = goalAmount > 0 ? Math.max(0, totalRaised / goalAmount) : 0;
    const gauge = byId('gauge');
    gauge.hidden = goalAmount === 0;
    gauge.setAttribute('aria-valuenow', String(Math.min(100, Math.floor(part * 100))));
    gauge.setAttribute('aria-valuetext', formats.money(totalRaised, currency));
    byId('gauge-fill').style.setProperty('--filled', `${Math.min(100, part * 100)}%`);
    byId('goal').textContent =
      goalAmount > 0
        ? formats.fill(config.texts.ofGoal, { goal: formats.money(goalAmount, currency) })
        : config.texts.raised;
    // Rounded down: a goal is reached when it is reached.
    byId('percent').textContent = goalAmount > 0 ? formats.percent(Math.floor(part * 100) / 100) : '';
    const others = totals.totals.filter((one) => one.currency !== currency && one.totalRaised > 0);
    byId('also').hidden = others.length === 0;
    byId('also').textContent = others
      .map((one) => `+ ${formats.money(one.totalRaised, one.currency)}`)
      .join('  ');
  }

  /** Counts the shown total up or down to the true one. */
  #countTo(target) {
    cancelAnimationFrame(this.#counting);
    const from = this.#shownTotal;
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches || document.hidden || from === 0;
    if (still || from === target) {
      this.#showTotal(target);
      return;
    }
    const begin = performance.now();
    const step = (now) => {
      const done = Math.min(1, (now - begin) / COUNT_UP_MS);
      const eased = 1 - (1 - done) ** 3;
      this.#showTotal(done === 1 ? target : Math.round((from + (target - from) * eased) / 100) * 100);
      if (done < 1) this.#counting = requestAnimationFrame(step);
    };
    this.#counting = requestAnimationFrame(step);
  }

  #showTotal(amount) {
    this.#shownTotal = amount;
    const total = byId('total');
    const text = this.formats.money(amount, this.#totals.currency);
    if (total.textContent === text) return;
    const longer = text.length !== total.textContent.length;
    total.textContent = text;
    if (longer) this.#fitTotal();
  }

  /** The largest size at which the total stands on one line. */
  #fitTotal() {
    const total = byId('total');
    total.style.setProperty('--total-fit', '1');
    const fit = Math.min(1, total.clientWidth / Math.max(1, total.scrollWidth));
    total.style.setProperty('--total-fit', String(fit * (fit < 1 ? 0.98 : 1)));
  }

  /** For screen readers: the latest donation and the total, now and then, not every donation of a burst. */
  #announce() {
    const totals = this.#totals;
    if (!totals || (!this.#news && this.#announced === totals.totalRaised)) return;
    const { formats } = this;
    const donation = this.#news && this.#donations.find(({ id }) => id === this.#news.id);
    const parts = donation
      ? [formats.donorName(donation.donorName), formats.money(donation.amount, donation.currency)]
      : [];
    const total = `${formats.money(totals.totalRaised, totals.currency)} ${this.config.texts.raised}`;
    byId('announcer').textContent = [parts.join(', '), total].filter(Boolean).join('. ');
    this.#news = null;
    this.#announced = totals.totalRaised;
  }
}
