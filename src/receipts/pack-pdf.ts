import {
  ACCENT,
  ALERT,
  BAR,
  CONTENT_WIDTH,
  type DrawnStyle,
  INK,
  LEFT,
  LINE,
  MUTED,
  PAGE,
  Sheet,
} from '../documents/pdf/sheet.js';
import type {
  AnnualFacts,
  PackBlock,
  PackColumn,
  PackDocument,
  PackFacts,
  PackField,
  PackNumber,
} from './packs/receipt-pack.js';
import { packVersion } from './packs/registry.js';
import { checkAtOf, type ReceiptIssuer, type ReceiptSubject, voidReason } from './receipt-content.js';
import { wordingFor } from './receipt-wording.js';

const LOGO = { width: 150, height: 46 };
const TOP = PAGE.margin - 14;
const BOTTOM = PAGE.height - PAGE.margin + 14;
const PAD = 7;
/** Distance of a text from the lines of its row in a table. */
const ROW_PAD = 3;
/** Room for a signature by hand. */
const SIGNATURE = 40;
/** Sizes of the text, until the page is large enough. The smallest is still readable on paper. */
const SCALES = [1, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7];

const STYLES = {
  heading: { size: 14, weight: 'bold', color: INK },
  text: { size: 10, weight: 'regular', color: INK },
  strong: { size: 10, weight: 'bold', color: INK },
  small: { size: 8, weight: 'regular', color: INK },
  label: { size: 8, weight: 'regular', color: MUTED },
  notice: { size: 10, weight: 'bold', color: ALERT },
} as const satisfies Record<string, DrawnStyle>;

/** A receipt whose pack is known. */
export type PackedReceipt = ReceiptSubject & { readonly pack: NonNullable<ReceiptSubject['pack']> };

/**
 * Draws a receipt of a pack as one tagged A4 page.
 * @throws Error if the texts do not fit on the page in the smallest size
 */
export function packPdf(subject: PackedReceipt, issuer: ReceiptIssuer): Buffer {
  const { version, facts } = subject.pack;
  const pack = packVersion(version);
  const printed = pack.render(facts, {
    number: subject.number,
    issuedOn: facts.issuedOn,
    replaces: subject.replaces,
  });
  const sheet = new Sheet({
    title: `${printed.title} ${subject.number}`,
    author: facts.organization.name,
    subject: version,
    language: printed.language,
    createdAt: subject.issuedAt,
    isLocked: pack.isLocked ?? false,
  });
  const checkAt = pack.hasBindingWords ? undefined : checkAtOf(subject, issuer);
  new PackPage(
    sheet,
    checkAt === undefined ? printed : withCheck(printed, checkAt),
    subject,
    issuer.logo,
  ).draw();
  return sheet.bytes();
}

/** The simplified proof of a donation. */
export interface ProofToDraw {
  readonly version: string;
  readonly facts: PackFacts;
  readonly logo: Uint8Array | undefined;
}

/**
 * Draws a simplified proof as one tagged A4 page.
 * @throws Error if the version of the pack has none
 */
export function proofPdf({ version, facts, logo }: ProofToDraw): Buffer {
  const { proof } = packVersion(version);
  if (!proof) throw new Error(`The pack ${version} has no simplified proof`);
  const printed = proof.render(facts);
  const sheet = new Sheet({
    title: printed.title,
    author: facts.organization.name,
    subject: version,
    language: printed.language,
    createdAt: new Date(`${facts.issuedOn}T12:00:00Z`),
  });
  new PackPage(sheet, printed, { copy: false, status: 'COMPLETED' }, logo).draw();
  return sheet.bytes();
}

/** The document about all gifts of a donor in a period. */
export interface AnnualToDraw {
  readonly version: string;
  readonly facts: AnnualFacts;
  readonly logo: Uint8Array | undefined;
}

/**
 * Draws an annual document as tagged A4 pages.
 * @throws Error if the version of the pack has none
 */
export function annualPdf({ version, facts, logo }: AnnualToDraw): Buffer {
  const { annual, isLocked = false } = packVersion(version);
  const [first] = facts.gifts;
  if (!annual || !first) throw new Error(`The pack ${version} has no such annual document`);
  const printed = annual.render(facts);
  const sheet = new Sheet({
    title: `${printed.title} ${facts.from} – ${facts.to}`,
    author: first.organization.name,
    subject: version,
    language: printed.language,
    createdAt: new Date(`${first.issuedOn}T12:00:00Z`),
    isLocked,
  });
  new PackPage(sheet, printed, { copy: false, status: 'COMPLETED', flows: true }, logo).draw();
  return sheet.bytes();
}

/** The receipt about all gifts of a donor in a calendar year. */
export interface CollectiveToDraw {
  readonly version: string;
  readonly facts: AnnualFacts;
  readonly number: PackNumber;
  readonly issuedAt: Date;
  readonly copy: boolean;
  /** Reason why the receipt is void: another one replaced it, or all its gifts came back. */
  readonly voidBecause?: 'replaced' | 'refunded' | undefined;
  /** Address on which anybody can check this receipt. The annex prints it, because the words of the first page may be binding. */
  readonly checkAt?: string | undefined;
  readonly logo: Uint8Array | undefined;
}

/**
 * Draws a collective receipt: one A4 page, and the annex on further ones.
 * @throws Error if the version of the pack has none
 */
export function collectivePdf(drawn: CollectiveToDraw): Buffer {
  const { version, facts, number, issuedAt, copy, voidBecause, checkAt, logo } = drawn;
  const { collective, isLocked = false } = packVersion(version);
  const [first] = facts.gifts;
  if (!collective || !first) throw new Error(`The pack ${version} has no such collective receipt`);
  const rendered = collective.render(facts, number);
  const printed = checkAt === undefined ? rendered : withCheck(rendered, checkAt);
  const sheet = new Sheet({
    title: `${printed.title} ${number.number}`,
    author: first.organization.name,
    subject: version,
    language: printed.language,
    createdAt: issuedAt,
    isLocked,
  });
  const status = voidBecause === 'refunded' ? 'REFUNDED' : 'COMPLETED';
  new PackPage(sheet, printed, { copy, status, isReplaced: voidBecause === 'replaced' }, logo).draw();
  return sheet.bytes();
}

/** Adds the address on which anybody can check the receipt at the end. */
const withCheck = (printed: PackDocument, checkAt: string): PackDocument => ({
  ...printed,
  blocks: [
    ...printed.blocks,
    { kind: 'small', text: `${wordingFor(printed.language).wording.checkAt}: ${checkAt}` },
  ],
});

class PackPage {
  private y = TOP;
  private page = 1;
  private readonly scale: number;
  private readonly blocks: readonly Drawn[];

  constructor(
    private readonly sheet: Sheet,
    { language, blocks }: PackDocument,
    {
      copy,
      status,
      isReplaced = false,
      flows = false,
    }: Pick<PackedReceipt, 'copy' | 'status' | 'isReplaced'> & { readonly flows?: boolean },
    private readonly logo: Uint8Array | undefined,
  ) {
    const { wording } = wordingFor(language);
    const reason = voidReason(status, wording, isReplaced);
    this.blocks = [
      ...(copy ? [{ kind: 'strong' as const, text: wording.copy.toLocaleUpperCase(language) }] : []),
      ...(reason === undefined ? [] : [{ kind: 'notice' as const, text: reason }]),
      ...blocks,
    ];
    this.stamp = reason === undefined ? undefined : wording.void.toLocaleUpperCase(language);
    this.scale = flows ? 1 : this.fittingScale();
  }

  private readonly stamp: string | undefined;

  draw(): void {
    const { sheet } = this;
    this.frame();
    if (this.logo) {
      sheet.image(this.logo, { x: LEFT, y: this.y, ...LOGO }, '');
      this.y += LOGO.height + 8;
    }
    for (const block of this.blocks) this.block(block);
    if (this.stamp !== undefined) sheet.stamp(this.stamp);
  }

  private frame(): void {
    this.sheet.box({ x: 0, y: 0, width: PAGE.width, height: BAR }, { fill: ACCENT });
  }

  /** Starts a new page if the height does not fit on this one. Returns true for a new page. */
  private room(height: number): boolean {
    if (this.y + height <= BOTTOM || this.y === TOP) return false;
    this.nextPage();
    return true;
  }

  private nextPage(): void {
    const { sheet } = this;
    sheet.addPage();
    this.page++;
    this.frame();
    const number = { x: LEFT, y: BOTTOM + 2, width: CONTENT_WIDTH, align: 'right' as const };
    sheet.text(`– ${this.page} –`, this.style('label'), number);
    this.y = TOP;
  }

  /** Returns the largest size in which all blocks fit on the page. */
  private fittingScale(): number {
    const room = BOTTOM - TOP - (this.logo ? LOGO.height + 8 : 0);
    const annex = this.blocks.findIndex(({ kind }) => kind === 'annex');
    const onFirst = annex === -1 ? this.blocks : this.blocks.slice(0, annex);
    const fitting = SCALES.find(
      (scale) => onFirst.reduce((sum, block) => sum + this.height(block, scale), 0) <= room,
    );
    if (fitting === undefined) throw new Error('The receipt does not fit on one page');
    return fitting;
  }

  private style(name: keyof typeof STYLES, scale = this.scale): DrawnStyle {
    const style: DrawnStyle = STYLES[name];
    return { ...style, size: style.size * scale };
  }

  private height(block: Drawn, scale: number): number {
    const of = (text: string, name: keyof typeof STYLES, width: number) =>
      this.sheet.height(text, this.style(name, scale), width);
    if (block.kind === 'fields')
      return (
        Math.max(
          ...block.fields.map(({ label, value, share }) => {
            const width = share * CONTENT_WIDTH - 2 * PAD;
            return of(label, 'label', width) + of(value, 'strong', width);
          }),
        ) +
        2 * PAD +
        AFTER.fields * scale
      );
    if (block.kind === 'signature')
      return (
        SIGNATURE * scale +
        of(block.above, 'text', CONTENT_WIDTH) +
        of(block.name, 'text', CONTENT_WIDTH) +
        of(block.below, 'label', CONTENT_WIDTH) +
        AFTER.signature * scale
      );
    if (block.kind === 'table') {
      const { columns, rows } = block;
      const heights = rows.map((values) => this.rowHeight(columns, values, 'text', scale));
      const head = this.rowHeight(columns, labelsOf(columns), 'label', scale);
      return heights.reduce((sum, height) => sum + height, head) + AFTER.table * scale;
    }
    if (block.kind === 'annex') return this.height({ ...block, kind: 'heading' }, scale);
    return of(block.text, block.kind, CONTENT_WIDTH) + AFTER[block.kind] * scale;
  }

  private rowHeight(
    columns: readonly PackColumn[],
    values: readonly string[],
    style: 'label' | 'text',
    scale = this.scale,
  ): number {
    const heights = columns.map(({ share }, index) =>
      this.sheet.height(values[index] ?? '', this.style(style, scale), share * CONTENT_WIDTH - 2 * PAD),
    );
    return Math.max(...heights) + ROW_PAD * 2;
  }

  private block(block: Drawn): void {
    if (block.kind === 'table') {
      this.table(block);
      return;
    }
    if (block.kind === 'annex') {
      this.nextPage();
      this.block({ ...block, kind: 'heading' });
      return;
    }
    this.room(this.height(block, this.scale) - AFTER[block.kind] * this.scale);
    const top = this.y;
    if (block.kind === 'fields') this.fields(block.fields, this.height(block, this.scale));
    else if (block.kind === 'signature') this.signature(block);
    else {
      const box = { x: LEFT, y: top, width: CONTENT_WIDTH };
      this.sheet.text(block.text, this.style(block.kind), box, block.kind === 'heading' ? 'H1' : 'P');
    }
    this.y = top + this.height(block, this.scale);
  }

  private fields(fields: readonly PackField[], height: number): void {
    let x = LEFT;
    for (const { label, value, share } of fields) {
      const width = share * CONTENT_WIDTH;
      this.sheet.box({ x, y: this.y, width, height: height - AFTER.fields * this.scale }, { stroke: LINE });
      const inner = { x: x + PAD, width: width - 2 * PAD };
      const taken = this.sheet.text(label, this.style('label'), { ...inner, y: this.y + PAD });
      this.sheet.text(value, this.style('strong'), { ...inner, y: this.y + PAD + taken });
      x += width;
    }
  }

  /** Draws a table. Each further page begins with the labels again. */
  private table({ columns, rows }: Extract<PackBlock, { kind: 'table' }>): void {
    const labels = labelsOf(columns);
    const head = this.rowHeight(columns, labels, 'label');
    this.room(head + this.rowHeight(columns, rows[0] ?? [], 'text'));
    this.row(columns, labels, 'label');
    for (const values of rows) {
      if (this.room(this.rowHeight(columns, values, 'text'))) this.row(columns, labels, 'label');
      this.row(columns, values, 'text');
    }
    this.y += AFTER.table * this.scale;
  }

  private row(columns: readonly PackColumn[], values: readonly string[], style: 'label' | 'text'): void {
    let x = LEFT;
    columns.forEach(({ share, isEnd = false }, index) => {
      const width = share * CONTENT_WIDTH;
      this.sheet.text(values[index] ?? '', this.style(style), {
        x: x + PAD,
        y: this.y + ROW_PAD,
        width: width - 2 * PAD,
        align: isEnd ? 'right' : 'left',
      });
      x += width;
    });
    this.y += this.rowHeight(columns, values, style);
    this.sheet.rule(LEFT, this.y, CONTENT_WIDTH, LINE);
  }

  private signature({ above, below, name }: Extract<PackBlock, { kind: 'signature' }>): void {
    const box = { x: LEFT, width: CONTENT_WIDTH };
    let y = this.y + this.sheet.text(above, this.style('text'), { ...box, y: this.y });
    y += SIGNATURE * this.scale - 4;
    if (name !== '') y += this.sheet.text(name, this.style('text'), { ...box, y });
    this.sheet.rule(LEFT, y + 2, CONTENT_WIDTH * 0.6, MUTED);
    this.sheet.text(below, this.style('label'), { ...box, y: y + 4 });
  }
}

const labelsOf = (columns: readonly PackColumn[]): string[] => columns.map(({ label }) => label);

/** A block of the pack, or the notice that a receipt is void. */
type Drawn = PackBlock | { readonly kind: 'notice'; readonly text: string };

/** Distance to the next block. */
const AFTER = {
  heading: 4,
  text: 11,
  strong: 9,
  small: 6,
  notice: 9,
  fields: 11,
  annex: 4,
  table: 8,
  signature: 16,
} as const satisfies Record<Drawn['kind'], number>;
