import { Injectable } from '@nestjs/common';
import { Audit } from '../../audit/audit.js';
import { actorOf, type Principal } from '../../common/access/principal.js';
import { ConflictError, NotFoundError } from '../../common/errors/domain-errors.js';
import { isId } from '../../common/crypto/ids.js';
import { Database, type Statement } from '../../data/database.js';
import { donationByPayment } from '../../donations/store/donation-store.js';
import { EventLookup } from '../../events/event-lookup.service.js';
import type { ReviewKind } from '../../review/review-items.js';
import type { AssignmentDto } from './dto/assignment.dto.js';
import { PaymentFacts } from './facts.service.js';
import { PaymentProviders } from '../providers/payment-providers.js';

interface Item {
  readonly kind: ReviewKind;
  /** `<provider>:<payment id>` */
  readonly subject: string;
}

const ITEM: Statement = {
  name: 'assignment_item',
  text: 'SELECT kind, subject FROM review_item WHERE id = $1',
};

/** Lets an admin assign a payment to an event, if the payment itself refers to no known event. */
@Injectable()
export class AssignmentService {
  constructor(
    private readonly database: Database,
    private readonly providers: PaymentProviders,
    private readonly facts: PaymentFacts,
    private readonly events: EventLookup,
    private readonly audit: Audit,
  ) {}

  /**
   * Assigns the payment to the event. The service reads the current payment from the provider, so that it also books
   * earlier refunds and disputes. The same transaction closes the review item and the open webhook events. A repeated
   * call returns the same answer.
   * @throws NotFoundError (404) if the item or event does not exist; ConflictError (409) if the item is of another
   *   kind, the event accepts no donations, the payment is not paid, or it belongs to another event; UnavailableError
   *   (503)
   */
  async assign(caller: Principal, itemId: string, eventRef: string): Promise<AssignmentDto> {
    const [item] = isId(itemId) ? await this.database.query<Item>(ITEM, [itemId]) : [];
    if (!item) throw new NotFoundError('REVIEW_ITEM_NOT_FOUND', 'There is no such review item');
    if (item.kind !== 'unmatched_payment')
      throw new ConflictError('REVIEW_ITEM_UNASSIGNABLE', 'Only an unmatched payment can be assigned');
    const event = await this.events.get(eventRef);
    if (event.status === 'draft' || event.status === 'archived')
      throw new ConflictError('EVENT_TAKES_NO_DONATIONS', 'A draft or archived event accepts no donations');
    const split = item.subject.indexOf(':');
    const provider = this.providers.ofDonation(item.subject.slice(0, split));
    const paymentId = item.subject.slice(split + 1);
    if (!(await donationByPayment(this.database, provider.name, paymentId))) {
      // The payment refers to no known event or donation, so use the event that the admin chose.
      const facts = (await provider.readPayment(paymentId)).map((fact) => ({
        ...fact,
        donationId: undefined,
        eventRef: event.id,
      }));
      if (!facts.some(({ kind }) => kind === 'paid'))
        throw new ConflictError('PAYMENT_NOT_PAID', 'The provider does not report this payment as paid');
      await this.facts.book(provider, facts, {
        also: (tx) =>
          this.audit.record(
            actorOf(caller),
            'payment.assign',
            itemId,
            { payment: item.subject, event: event.id },
            tx,
          ),
      });
    }
    const donation = await donationByPayment(this.database, provider.name, paymentId);
    if (donation?.event_id !== event.id)
      throw new ConflictError('PAYMENT_ASSIGNED', 'This payment already belongs to another event');
    return { donationId: donation.id, eventId: event.id };
  }
}
