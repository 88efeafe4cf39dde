import {
  CONTENT_WIDTH,
  type DrawnStyle,
  PAGE,
  Sheet,
  ACCENT,
  ALERT,
  BAR,
  FOOTER,
  INK,
  LABEL,
  LEFT,
  LINE,
  MUTED,
  ORGANIZATION,
  STRONG,
  TINT,
  TITLE,
} from '../documents/pdf/sheet.js';
import codes from 'qrcode';
import { modulesBy } from '../documents/pdf/code-modules.js';
import { isolated } from '../common/text/direction.js';
import type { ReceiptContent } from './receipt-content.js';

const VALUE: DrawnStyle = { size: 10.5, weight: 'regular', color: INK };
const DONOR: DrawnStyle = { size: 19, weight: 'bold', color: INK, leading: 1.3 };
const AMOUNT: DrawnStyle = { size: 25, weight: 'bold', color: ACCENT };
const SMALL_AMOUNT: DrawnStyle = { size: 14, weight: 'bold', color: ACCENT };
const THANKS: DrawnStyle = { size: 12, weight: 'bold', color: ACCENT };
const FOOTER_NAME: DrawnStyle = { ...FOOTER, weight: 'bold' };
const NOTICE: DrawnStyle = { size: 10.5, weight: 'bold', color: ALERT };
const BADGE: DrawnStyle = { size: 9.5, weight: 'bold', color: ACCENT };

const RIGHT = PAGE.width - PAGE.margin;
const HALF = CONTENT_WIDTH / 2 - 12;
const LABEL_WIDTH = 132;
const LOGO = { width: 170, height: 62 };
/** The code of the public check, at the right end of the footer. About 20 mm, which phones read from a sheet of paper. */
const CODE = { width: 58, gap: 16 };

/** Draws a receipt as a tagged A4 PDF, normally one page. */
export function receiptPdf(content: ReceiptContent): Buffer {
  const { wording, issuer } = content;
  const sheet = new Sheet({
    title: `${wording.title} ${content.number}`,
    author: issuer.legalName || issuer.organization,
    subject: content.details.find(([label]) => label === wording.event)?.[1] ?? '',
    language: content.language,
    createdAt: content.issuedAt,
  });
  const page = new ReceiptPage(sheet, content);
  page.draw();
  return sheet.bytes();
}

class ReceiptPage {
  /** Position of the next block. */
  private y = PAGE.margin;
  private readonly bottom: number;

  constructor(
    private readonly sheet: Sheet,
    private readonly content: ReceiptContent,
  ) {
    this.bottom = PAGE.height - PAGE.margin + 16 - this.footerHeight();
  }

  draw(): void {
    this.frame();
    this.head();
    this.notice();
    this.donor();
    this.amount();
    this.details();
    this.signature();
    this.stamp();
  }

  /** Draws the parts of every page: the bar at the top and the legal block at the bottom. */
  private frame(): void {
    this.sheet.box({ x: 0, y: 0, width: PAGE.width, height: BAR }, { fill: ACCENT });
    this.footer();
  }

  /** Draws a stamp on each page of a void receipt, and of a receipt of a rehearsal. The stamp is drawn last, so that it is above the other content. */
  private stamp(): void {
    const { sheet, content } = this;
    if (content.voidBecause) sheet.stamp(content.stamp.toLocaleUpperCase(content.language));
  }

  private head(): void {
    const { sheet, content } = this;
    const { wording, issuer } = content;
    const left = issuer.logo ? this.logo(issuer.logo) : this.organization(this.y);
    let y = this.y;
    const box = { x: RIGHT - HALF, width: HALF, align: 'right' as const };
    y += sheet.text(wording.title, TITLE, { ...box, y, maxLines: 2 }, 'H1') + 3;
    y += sheet.text(`${wording.number} ${content.number}`, STRONG, { ...box, y });
    y += sheet.text(`${wording.issued} ${content.issuedOn}`, LABEL, { ...box, y });
    y += sheet.text(wording.acknowledgement, LABEL, { ...box, y });
    if (content.copy) y = this.badge(wording.copy.toLocaleUpperCase(content.language), y + 6);
    this.y = Math.max(left, y) + 18;
    sheet.rule(LEFT, this.y, CONTENT_WIDTH, LINE);
    this.y += 22;
  }

  private logo(logo: Uint8Array): number {
    this.sheet.image(logo, { x: LEFT, y: this.y, ...LOGO }, this.content.issuer.organization);
    return this.y + LOGO.height;
  }

  private organization(y: number): number {
    const { organization, legalName } = this.content.issuer;
    return (
      y + this.sheet.text(organization || legalName, ORGANIZATION, { x: LEFT, y, width: HALF, maxLines: 4 })
    );
  }

  private badge(text: string, y: number): number {
    const height = 19;
    const width = 84;
    const x = RIGHT - width;
    this.sheet.box({ x, y, width, height, radius: 3 }, { stroke: ACCENT });
    this.sheet.text(text, BADGE, { x, y: y + 2.4, width, align: 'center', maxLines: 1 });
    return y + height;
  }

  private notice(): void {
    const box = { x: LEFT, width: CONTENT_WIDTH };
    const { voidBecause, replaces } = this.content;
    if (voidBecause) this.y += this.sheet.text(voidBecause, NOTICE, { ...box, y: this.y }) + 14;
    if (replaces) this.y += this.sheet.text(replaces, STRONG, { ...box, y: this.y }) + 14;
  }

  private donor(): void {
    const { sheet, content } = this;
    const box = { x: LEFT, width: CONTENT_WIDTH };
    this.y += sheet.text(content.wording.receivedFrom, LABEL, { ...box, y: this.y }) + 2;
    this.y += sheet.text(content.donor, DONOR, { ...box, y: this.y }, 'H2') + 18;
  }

  private amount(): void {
    const { sheet, content } = this;
    const { wording, afterRefund } = content;
    const inner = { x: LEFT + 18, width: CONTENT_WIDTH - 36 };
    const height = afterRefund ? 124 : 76;
    this.room(height);
    sheet.box({ x: LEFT, y: this.y, width: CONTENT_WIDTH, height, radius: 6 }, { fill: TINT });
    const top = this.y + 13;
    const main = afterRefund?.remaining ?? content.amount;
    sheet.text(afterRefund ? wording.remaining : wording.amount, LABEL, { ...inner, y: top });
    sheet.text(main, AMOUNT, { ...inner, y: top + 14, maxLines: 1 });
    if (afterRefund) {
      const y = top + 60;
      const width = inner.width / 2;
      sheet.rule(inner.x, y - 4, inner.width, LINE);
      [[wording.given, content.amount] as const, [wording.refunded, afterRefund.refunded] as const].forEach(
        ([label, value], column) => {
          const x = inner.x + column * width;
          sheet.text(label, LABEL, { x, y: y + 4, width });
          sheet.text(value, SMALL_AMOUNT, { x, y: y + 18, width, maxLines: 1 });
        },
      );
    }
    this.y += height + 20;
  }

  private details(): void {
    const { sheet, content } = this;
    const width = CONTENT_WIDTH - LABEL_WIDTH;
    for (const [label, value] of content.details) {
      // The text is shortened, so that the receipt fits on one page. The donation contains the full message.
      const maxLines = 12;
      this.room(sheet.height(value, VALUE, width, maxLines) + 14);
      sheet.text(label, LABEL, { x: LEFT, y: this.y + 7.6, width: LABEL_WIDTH - 8 });
      const height = sheet.text(value, VALUE, { x: LEFT + LABEL_WIDTH, y: this.y + 7, width, maxLines });
      this.y += height + 14;
      sheet.rule(LEFT, this.y, CONTENT_WIDTH, LINE);
    }
    this.y += 24;
  }

  private signature(): void {
    const { sheet, content } = this;
    const { wording, issuer } = content;
    this.room(96);
    if (!content.voidBecause) sheet.text(wording.thanks, THANKS, { x: LEFT, y: this.y, width: HALF });
    if (!issuer.signatory) return;
    const x = RIGHT - HALF;
    const line = this.y + 48;
    sheet.rule(x, line, HALF, MUTED);
    const height = sheet.text(issuer.signatory, VALUE, { x, y: line + 5, width: HALF, maxLines: 2 });
    const institution = `${wording.signedFor} ${isolated(issuer.legalName || issuer.organization, content.language)}`;
    sheet.text(institution, LABEL, { x, y: line + 5 + height, width: HALF, maxLines: 2 });
  }

  private footer(): void {
    const { sheet, content } = this;
    const top = PAGE.height - PAGE.margin + 20 - this.footerHeight();
    sheet.rule(LEFT, top, CONTENT_WIDTH, LINE);
    let y = top + 8;
    for (const [text, style] of footerLines(content)) {
      y += sheet.text(text, style, { x: LEFT, y, width: footerWidth(content), maxLines: FOOTER_LINES });
    }
    if (content.checkAt !== undefined) {
      const box = { x: RIGHT - CODE.width, y: top + 10, width: CODE.width };
      sheet.code(modulesBy(codes, content.checkAt, 'M'), box, content.wording.checkAt);
    }
  }

  private footerHeight(): number {
    const { content } = this;
    const width = footerWidth(content);
    const heights = footerLines(content).map(([text, style]) =>
      this.sheet.height(text, style, width, FOOTER_LINES),
    );
    const textHeight = heights.reduce((sum, height) => sum + height, 12);
    return content.checkAt === undefined ? textHeight : Math.max(textHeight, CODE.width + 12);
  }

  /** Starts a new page if the block does not fit on this one. */
  private room(height: number): void {
    if (this.y + height <= this.bottom) return;
    const { wording, number } = this.content;
    this.stamp();
    this.sheet.addPage();
    this.frame();
    const heading = { x: LEFT, y: PAGE.margin - 24, width: CONTENT_WIDTH, maxLines: 1 };
    this.sheet.text(`${wording.title} ${number}`, LABEL, heading);
    this.y = PAGE.margin;
  }
}

/** Maximum number of lines in each part of the legal block. Otherwise a long block could fill the page. */
const FOOTER_LINES = 12;

const footerWidth = ({ checkAt }: ReceiptContent): number =>
  checkAt === undefined ? CONTENT_WIDTH : CONTENT_WIDTH - CODE.width - CODE.gap;

function footerLines({
  issuer,
  wording,
  checkAt,
  language,
}: ReceiptContent): (readonly [text: string, style: DrawnStyle])[] {
  const address = issuer.address
    .split(/\s*\n\s*/u)
    .filter(Boolean)
    .join(', ');
  const facts = [address, issuer.taxId && `${wording.taxId} ${issuer.taxId}`].filter(Boolean).join(' · ');
  return (
    [
      [issuer.legalName || issuer.organization, FOOTER_NAME],
      [facts, FOOTER],
      [issuer.footer, FOOTER],
      [checkAt === undefined ? '' : `${wording.checkAt}: ${isolated(checkAt, language)}`, FOOTER],
    ] as const
  ).filter(([text]) => text !== '');
}
