import { useEffect, useState } from 'preact/hooks';
import type { DonationStoryDto } from '../../../src/reporting/explain/dto/story.dto.js';
import type { HistoryEntryDto } from '../../../src/donations/dto/history.dto.js';
import { Dialog } from '../../desk/dialog.js';
import { Failed, NotHere, Skeleton } from '../../desk/states.js';
import { money, t } from '../../desk/texts.js';
import { isMissingRoute } from '../api/errors.js';
import { pendingOf } from '../api/once.js';
import { useQuery } from '../api/query.js';
import { can } from '../me.js';
import { CorrectDialog, FulfilDialog } from './correct-dialog.js';
import { DisputeNote } from './disputes.js';
import { DonationActions, type OpenDialog } from './donation-actions.js';
import { DonationFacts, PaymentFacts } from './donation-facts.js';
import { DonationMoney } from './donation-money.js';
import { type Donation, DonationState, nameOf } from './donations.js';
import { GiftAid } from './gift-aid.js';
import { ReceiveDialog } from './receive-dialog.js';
import { History } from './history.js';
import { PaymentLink } from './payment-link.js';
import { RefundDialog } from './refund-dialog.js';
import { StoryLines } from './story-lines.js';
import { UndoDialog } from './undo-dialog.js';

/** One donation with its full history, next to the list. */
export function DonationSheet({
  id,
  known,
  onFresh,
  onClose,
}: {
  id: string;
  known: Donation | undefined;
  onFresh: (donation: Donation) => void;
  onClose: () => void;
}) {
  const story = useQuery<DonationStoryDto>(can('donations:history') ? `/donations/${id}/story` : null);
  const history = useQuery<readonly HistoryEntryDto[]>(
    can('donations:history') && story.error && isMissingRoute(story.error)
      ? `/donations/${id}/history`
      : null,
  );
  const donation: Donation | undefined = story.data?.donation ?? known;
  const [open, setOpen] = useState<OpenDialog>();
  const told = story.data?.donation;
  useEffect(() => {
    if (told) onFresh(told);
  }, [told]);
  if (!donation)
    return (
      <Dialog title={t('donation.one')} look="sheet" onClose={onClose}>
        {story.error ? (
          isMissingRoute(story.error) ? (
            <NotHere />
          ) : (
            <Failed error={story.error} retry={story.reload} />
          )
        ) : (
          <Skeleton />
        )}
      </Dialog>
    );
  const close = () => setOpen(undefined);
  const dashboardUrl = story.data?.payment?.dashboardUrl;
  return (
    <Dialog
      title={money(donation.amount, donation.currency)}
      subtitle={
        <>
          {nameOf(donation)} <DonationState donation={donation} />
        </>
      }
      look="sheet"
      onClose={onClose}
      actions={<DonationActions donation={donation} onOpen={setOpen} />}
    >
      <div class="stack stack--wide">
        {pendingOf(`refund.${donation.id}`) && (
          <p class="note note--warn">
            {t('refund.hasPending')}{' '}
            <button type="button" class="linkbutton" onClick={() => setOpen('refund')}>
              {t('refund.askAgain')}
            </button>
          </p>
        )}
        {donation.dispute?.status === 'open' && (
          <DisputeNote dispute={donation.dispute} dashboardUrl={dashboardUrl} />
        )}
        <DonationMoney donation={donation} story={story.data} error={story.error} />
        <DonationFacts donation={donation} />
        <GiftAid donation={donation} />
        <History
          entries={story.data?.history ?? history.data}
          names={story.data?.names}
          failed={history.error ?? (history.data ? undefined : story.error)}
        />
        {story.data && (
          <>
            <PaymentFacts payment={story.data.payment} />
            <StoryLines story={story.data} />
          </>
        )}
      </div>
      {open === 'correct' && <CorrectDialog donation={donation} onClose={close} />}
      {open === 'refund' && <RefundDialog donation={donation} dashboardUrl={dashboardUrl} onClose={close} />}
      {open === 'receive' && <ReceiveDialog donation={donation} onClose={close} />}
      {open === 'fulfil' && <FulfilDialog donation={donation} onClose={close} />}
      {open === 'undo' && <UndoDialog donation={donation} onClose={close} />}
      {open === 'link' && <PaymentLink donation={donation} onClose={close} />}
    </Dialog>
  );
}
