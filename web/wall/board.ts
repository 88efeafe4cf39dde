import type { BoardDto } from '../../src/teams/dto/board.dto.js';
import type { Formats } from './formats.js';
import { byId } from './model.js';

/** The live channel brings each change. This covers a network that loses its messages. */
const EVERY_MS = 30_000;
const MOST_ROWS = 10;
/** Lowest height of a row, in units of the wall (`--u` in the style sheet). */
const ROW_UNITS = 3.8;

type Row = BoardDto['data'][number];

/**
 * The board of tables and teams in the place of the feed. It shows only the public figures, which hide what a single donor gave.
 * Without teams, the feed stays.
 */
export class Board {
  private board: BoardDto | undefined;
  private isWanted = false;
  private timer = 0;
  private readonly root = byId('board');
  private readonly list = byId('board-rows');

  /** @param isFree true if nothing more important needs the place of the feed */
  constructor(
    private readonly event: string,
    private readonly formats: Formats,
    private readonly isFree: () => boolean,
  ) {
    addEventListener('resize', () => {
      this.show();
    });
  }

  get isShown(): boolean {
    return !this.root.hidden;
  }

  toggle(): void {
    this.want(!this.isWanted);
  }

  want(isWanted: boolean): void {
    if (isWanted === this.isWanted) return;
    this.isWanted = isWanted;
    clearInterval(this.timer);
    if (isWanted) {
      this.timer = window.setInterval(() => void this.read(), EVERY_MS);
      void this.read();
    }
    this.show();
  }

  take(board: BoardDto): void {
    this.board = board;
    this.show();
  }

  /** Shows or hides the board after a change of the place. */
  show(): void {
    const rows = this.board?.data ?? [];
    const isShown = this.isWanted && rows.length > 0 && this.isFree();
    this.root.hidden = !isShown;
    this.root.parentElement?.classList.toggle('stage--board', isShown);
    if (isShown && this.board) this.draw(this.board);
  }

  /** Reads the board if it is wanted. Keeps the last rows if the server does not answer, as the totals do. */
  async read(): Promise<void> {
    if (document.hidden || !this.isWanted) return;
    try {
      const answer = await fetch(`/events/${encodeURIComponent(this.event)}/board`);
      if (answer.ok) this.board = (await answer.json()) as BoardDto;
    } catch {
      // The live channel already shows a lost network.
    }
    this.show();
  }

  private draw(board: BoardDto): void {
    const { data, by } = board;
    const figure = (row: Row): number => row[by] ?? 0;
    const most = Math.max(...data.map(figure), 1);
    const shown = data.slice(0, this.rowsThatFit());
    this.list.replaceChildren(
      ...shown.map((row) => this.row(row, this.figureText(row, board), figure(row) / most)),
    );
    this.list.style.setProperty('--rows', String(shown.length));
  }

  /** Measures the space, so that no row is cut off. */
  private rowsThatFit(): number {
    const unit = parseFloat(getComputedStyle(this.list).getPropertyValue('font-size'));
    const fit = Math.floor(this.list.getBoundingClientRect().height / (unit * ROW_UNITS));
    return Math.min(MOST_ROWS, Math.max(1, fit));
  }

  private figureText(row: Row, { by, currency }: BoardDto): string {
    if (!row.hasBegun) return '';
    if (by === 'share' && row.share !== null) return this.formats.percent(row.share / 100);
    if (by === 'gifts' && row.gifts !== null) return this.formats.number(row.gifts);
    if (by === 'raised' && row.raised !== null) return this.formats.money(row.raised, currency);
    return this.formats.text('board.begun');
  }

  private row({ rank, name }: Row, figure: string, share: number): HTMLElement {
    const row = document.createElement('li');
    row.className = 'team';
    row.style.setProperty('--share', `${share * 100}%`);
    const cell = (kind: string, text: string, tag = 'span') => {
      const element = document.createElement(tag);
      element.className = `team__${kind}`;
      element.textContent = text;
      return element;
    };
    row.append(
      cell('rank', rank === null ? '' : this.formats.number(rank)),
      cell('name', name, 'bdi'),
      cell('figure', figure),
    );
    return row;
  }
}
