import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { NotFoundError, TooManyRequestsError } from '../../common/errors/domain-errors.js';
import { readAddress } from '../../common/validation/address.dto.js';
import { addressProblem, ADDRESS_FIELDS, type AddressField } from '../donate/address-problem.js';
import { tidyText } from '../../common/text/text.js';
import { textsOf } from '../texts.js';
import { emailProblem, tidyEmail } from '../../common/text/email-address.js';
import { OwnAddresses } from '../../donors/own/own-address.service.js';
import { OwnDataService } from '../../donors/own/own-data.service.js';
import { OwnGiftsService } from '../../donors/own/own-gifts.service.js';
import { OwnLinks } from '../../donors/own/own-links.service.js';
import { OwnRequests } from '../../donors/own/own-requests.service.js';
import { type OwnDonor, OwnSessions } from '../../donors/own/own-sessions.service.js';
import { SettingsService } from '../../settings/settings.service.js';
import { askForm, goneNotice, limitNotice, linkNotice, outNotice, sentNotice } from './me-notices.js';
import { type FormOfDonor, ownPage } from './me-content.js';
import { type MeView, pathTo, readerOf, sendMe, viewOf } from './me-view.js';
import { type StatementPeriod } from '../../donors/statement-period.js';

const GONE = 410;
const SEE_OTHER = 303;

/** The donor's own page: the request for a link, the sign-in, and the page itself. */
@Injectable()
export class MePages {
  constructor(
    private readonly links: OwnLinks,
    private readonly sessions: OwnSessions,
    private readonly gifts: OwnGiftsService,
    private readonly data: OwnDataService,
    private readonly addresses: OwnAddresses,
    private readonly requests: OwnRequests,
    private readonly settings: SettingsService,
  ) {}

  /** Sends the page of the donor; without a session the form for the e-mail address. */
  async show(request: Request, response: Response): Promise<void> {
    const view = await this.view(request);
    const { title } = view.texts;
    const donor = await this.sessions.read(request);
    if (donor) await this.showOwn(view, donor, response);
    else sendMe(response, view, { title, content: askForm(view), isSingle: true });
  }

  /** Sends the page of the donor, with a form that the donor must correct. */
  private async showOwn(
    view: MeView,
    donor: OwnDonor,
    response: Response,
    { problem, status = 200 }: { readonly problem?: FormOfDonor; readonly status?: number } = {},
  ): Promise<void> {
    const [gifts, data] = await Promise.all([this.gifts.of(donor), this.data.of(donor)]);
    const content = ownPage(view, donor.email, { gifts, data }, problem);
    sendMe(response, view, { title: view.texts.title, content, status });
  }

  /** Sends a link to a known e-mail address. Known and unknown addresses get the same page. */
  async request(body: unknown, request: Request, response: Response): Promise<void> {
    const view = await this.view(request);
    const { email: typed } = (body ?? {}) as Readonly<Record<string, unknown>>;
    const email = typeof typed === 'string' ? tidyEmail(typed) : '';
    if (emailProblem(email) !== undefined) {
      const content = askForm(view, email.slice(0, 254));
      sendMe(response, view, { title: view.texts.title, content, status: 400, isSingle: true });
      return;
    }
    try {
      await this.links.request(email, request.ip, readerOf(view));
    } catch (error) {
      if (!(error instanceof TooManyRequestsError)) throw error;
      const { retryAfter } = error;
      if (retryAfter !== undefined) response.setHeader('Retry-After', retryAfter);
      const title = view.texts['limit.title'];
      sendMe(response, view, {
        title,
        content: limitNotice(view),
        status: error.getStatus(),
        isSingle: true,
      });
      return;
    }
    sendMe(response, view, { title: view.texts['sent.title'], content: sentNotice(view), isSingle: true });
  }

  /** Sends the page behind a link. Changes nothing, because mail programs open links by themselves. */
  async askSignIn(token: string, request: Request, response: Response): Promise<void> {
    const view = await this.view(request);
    if (await this.sessions.isGood(token))
      sendMe(response, view, {
        title: view.texts['link.title'],
        content: linkNotice(view, token),
        isSingle: true,
      });
    else this.gone(view, response);
  }

  async signIn(token: string, request: Request, response: Response): Promise<void> {
    const view = await this.view(request);
    if (await this.sessions.start(token, response)) response.redirect(SEE_OTHER, pathTo(view));
    else this.gone(view, response);
  }

  async signOut(request: Request, response: Response): Promise<void> {
    const view = await this.view(request);
    await this.sessions.end(request, response);
    sendMe(response, view, { title: view.texts['out.title'], content: outNotice(view), isSingle: true });
  }

  async receipt(id: string, request: Request, response: Response): Promise<void> {
    const donor = await this.donor(request, response);
    if (donor) await this.gifts.receipt(donor, id, response);
  }

  /** Sends everything that is stored about the donor, as JSON. */
  async everything(request: Request, response: Response): Promise<void> {
    const donor = await this.donor(request, response);
    if (donor) await this.data.everything(donor, response);
  }

  async cancelDeclaration(id: string, request: Request, response: Response): Promise<void> {
    const donor = await this.donor(request, response);
    if (!donor) return;
    await this.data.cancelDeclaration(donor, id);
    response.redirect(SEE_OTHER, pathTo(await this.view(request)));
  }

  async stopPledgeEmails(request: Request, response: Response): Promise<void> {
    const donor = await this.donor(request, response);
    if (!donor) return;
    await this.data.stopPledgeEmails(donor);
    response.redirect(SEE_OTHER, pathTo(await this.view(request)));
  }

  /** Changes the address of the receipts that are not issued yet. */
  async changeAddress(body: unknown, request: Request, response: Response): Promise<void> {
    const donor = await this.donor(request, response);
    if (!donor) return;
    const view = await this.view(request);
    const typed = typedAddress(body);
    const wrong = addressProblem(typed);
    if (wrong) {
      const text = textsOf('donate', view.locale)[`error.${wrong.key}`] ?? '';
      const problem: FormOfDonor = { form: 'address', text, field: wrong.field, typed };
      await this.showOwn(view, donor, response, { problem, status: 400 });
      return;
    }
    const { line1 = '', line2, postcode, city = '', country = '' } = typed;
    await this.addresses.change(
      donor,
      readAddress({ line1, line2, postcode, city, country }, 'address'),
      readerOf(view),
    );
    response.redirect(SEE_OTHER, `${pathTo(view)}#address`);
  }

  /** Adds a donation by the code on its receipt. */
  async claim(body: unknown, request: Request, response: Response): Promise<void> {
    const donor = await this.donor(request, response);
    if (!donor) return;
    const view = await this.view(request);
    const { code: typed } = (body ?? {}) as Readonly<Record<string, unknown>>;
    const code = typeof typed === 'string' ? typed.slice(0, 40) : '';
    try {
      await this.requests.claim(donor, code);
    } catch (error) {
      const isLimit = error instanceof TooManyRequestsError;
      if (!isLimit && !(error instanceof NotFoundError)) throw error;
      if (isLimit && error.retryAfter !== undefined) response.setHeader('Retry-After', error.retryAfter);
      const text = view.texts[isLimit ? 'claim.limit' : 'claim.unknown'] ?? '';
      const problem: FormOfDonor = { form: 'claim', text, field: 'code', typed: { code } };
      await this.showOwn(view, donor, response, { problem, status: error.getStatus() });
      return;
    }
    response.redirect(SEE_OTHER, `${pathTo(view)}#gifts`);
  }

  async requestErasure(request: Request, response: Response): Promise<void> {
    const donor = await this.donor(request, response);
    if (!donor) return;
    const view = await this.view(request);
    await this.requests.requestErasure(donor, readerOf(view));
    response.redirect(SEE_OTHER, `${pathTo(view)}#data`);
  }

  async statement(period: StatementPeriod, request: Request, response: Response): Promise<void> {
    const donor = await this.donor(request, response);
    if (donor) await this.gifts.statement(donor, period, readerOf(await this.view(request)), response);
  }

  /** The signed-in donor. Without a session, the browser goes to the form for the e-mail address. */
  private async donor(request: Request, response: Response): Promise<OwnDonor | undefined> {
    const donor = await this.sessions.read(request);
    if (!donor) response.redirect(SEE_OTHER, pathTo(await this.view(request)));
    return donor;
  }

  private gone(view: MeView, response: Response): void {
    const title = view.texts['gone.title'];
    sendMe(response, view, { title, content: goneNotice(view), status: GONE, isSingle: true });
  }

  private async view(request: Request): Promise<MeView> {
    return viewOf((await this.settings.lastKnown()).value.inForce, request);
  }
}

/** Longest value of a field of the address. */
const LONGEST = 100;

/** The typed fields of an address. Empty ones are left out. */
function typedAddress(body: unknown): Partial<Record<AddressField, string>> {
  const sent = (body ?? {}) as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    ADDRESS_FIELDS.map((field) => [field, sent[field]] as const)
      .map(
        ([field, value]) =>
          [field, typeof value === 'string' ? tidyText(value).slice(0, LONGEST) : ''] as const,
      )
      .filter(([, value]) => value !== ''),
  );
}
