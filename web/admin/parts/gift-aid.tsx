import { useState } from 'preact/hooks';
import { addressLines, namedCountries } from '../../../src/common/text/postal-address.js';
import type {
  DeclarationDto,
  DeclarationOfDonationDto,
  GiftAidTextDto,
} from '../../../src/gift-aid/dto/gift-aid.dto.js';
import { SelectField, TextField } from '../../desk/fields.js';
import { FormDialog } from '../../desk/form-dialog.js';
import { Failed, Pill, Skeleton } from '../../desk/states.js';
import { date, dateTime, localeLanguage, t } from '../../desk/texts.js';
import { say } from '../../desk/toast.js';
import { api, queryOf } from '../api/client.js';
import { isMissingRoute } from '../api/errors.js';
import { changed, useQuery } from '../api/query.js';
import { LANGUAGES } from '../languages.js';
import { can } from '../me.js';
import { href } from '../router.js';
import type { Donation } from './donations.js';
import { useForm } from './form.js';

/** True if the donation may have a declaration: the donor was asked, or a declaration of the donor may cover it. */
const mayBeDeclared = ({ giftAid, currency }: Donation): boolean =>
  giftAid !== undefined || currency === 'gbp';

/** The Gift Aid declaration of a donation, with its text, and the actions on it. */
export function GiftAid({ donation }: { donation: Donation }) {
  const isShown = can('gift-aid:read') && mayBeDeclared(donation);
  const { data, error, reload } = useQuery<DeclarationOfDonationDto>(
    isShown ? `/gift-aid/donations/${donation.id}` : null,
  );
  const [open, setOpen] = useState<'enter' | 'cancel'>();
  if (!isShown || (error && isMissingRoute(error))) return null;
  const declaration = data?.declaration;
  const close = () => setOpen(undefined);
  return (
    <section aria-labelledby="gift-aid">
      <h3 class="section__title" id="gift-aid">
        {t('giftAid.title')}{' '}
        {declaration && (
          <Pill tone={data.covers ? 'good' : 'warn'}>
            {t(data.covers ? 'giftAid.covers' : 'giftAid.notCovers')}
          </Pill>
        )}
      </h3>
      {error && <Failed error={error} retry={reload} />}
      {!data && !error && <Skeleton rows={2} />}
      {declaration && <Declaration declaration={declaration} donation={donation} />}
      {data && !declaration && <p>{t(donation.giftAid ? 'giftAid.elsewhere' : 'giftAid.none')}</p>}
      {data && (
        <p>
          {declaration?.cancelledAt === null && can('gift-aid:cancel') && (
            <button
              type="button"
              class="button button--quiet button--small button--bad"
              onClick={() => setOpen('cancel')}
            >
              {t('giftAid.cancel')}
            </button>
          )}
          {!declaration && can('gift-aid:declare') && (
            <button type="button" class="button button--quiet button--small" onClick={() => setOpen('enter')}>
              {t('giftAid.enter')}
            </button>
          )}
        </p>
      )}
      {open === 'enter' && <EnterDialog donation={donation} onClose={close} />}
      {open === 'cancel' && declaration && <CancelDialog declaration={declaration} onClose={close} />}
    </section>
  );
}

function Declaration({ declaration, donation }: { declaration: DeclarationDto; donation: Donation }) {
  const { address, language: shown, cancelledAt, cancelReason } = declaration;
  const { line1, line2 = null, postcode = null, city, country } = address;
  const home = { line1, line2, postcode, city, country };
  const rows = [
    [t('donor.name'), `${declaration.firstName} ${declaration.lastName}`],
    [t('giftAid.home'), addressLines(home, localeLanguage()).join('\n')],
    [t('giftAid.coverage'), t(`giftAid.scope.${declaration.scope}`)],
    [t('giftAid.channel'), t(`giftAid.channel.${declaration.channel}`)],
    // A paper has a day and no time.
    [t('giftAid.declaredAt'), (declaration.channel === 'written' ? date : dateTime)(declaration.declaredAt)],
    ...(shown === null || declaration.channel === 'written'
      ? []
      : [[t('giftAid.language'), LANGUAGES[shown.split('-', 1)[0] ?? ''] ?? shown] as const]),
    ...(cancelledAt === null
      ? []
      : [
          [
            t('giftAid.cancelled'),
            [dateTime(cancelledAt), cancelReason].filter(Boolean).join(' · '),
          ] as const,
        ]),
  ] as const;
  return (
    <div class="stack">
      <dl class="facts">
        {rows.map(([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd class="facts__text">{value}</dd>
          </>
        ))}
      </dl>
      {declaration.donationId !== donation.id && (
        <p>
          <a href={href(`donations/${declaration.donationId}`)}>{t('giftAid.other')}</a>
        </p>
      )}
      <details>
        <summary>{t('giftAid.text')}</summary>
        <LegalText text={declaration.text} />
      </details>
    </div>
  );
}

/** The text of a declaration. It is always English. */
const LegalText = ({ text }: { text: string }) => (
  <div class="note stack" lang="en">
    {text.split('\n').map((line) => (
      <p key={line}>{line}</p>
    ))}
  </div>
);

function CancelDialog({ declaration, onClose }: { declaration: DeclarationDto; onClose: () => void }) {
  const name = `${declaration.firstName} ${declaration.lastName}`;
  const title = t('giftAid.cancelTitle', { name });
  const form = useForm(`giftAid.cancel.${declaration.id}`, title, { reason: '' });
  const [reason, setReason] = form.field('reason');
  return (
    <FormDialog
      form={form}
      title={title}
      submit={t('giftAid.cancel')}
      danger
      onClose={onClose}
      onSave={async () => {
        await api(`/gift-aid/declarations/${declaration.id}/cancel`, { method: 'POST', body: { reason } });
        changed('/gift-aid');
        say(t('state.done'));
        onClose();
      }}
    >
      <p>{t('giftAid.cancelText')}</p>
      <TextField
        label={t('refund.reason')}
        value={reason}
        onValue={setReason}
        error={form.error('reason')}
        maxLength={500}
        optional
      />
    </FormDialog>
  );
}

const today = (): string => new Date().toLocaleDateString('sv-SE');

/** Enters a declaration that the donor signed on paper. */
function EnterDialog({ donation, onClose }: { donation: Donation; onClose: () => void }) {
  const [firstName = '', ...names] = (donation.donorName ?? '').split(' ');
  const { address } = donation;
  const form = useForm(`giftAid.${donation.id}`, t('giftAid.enter'), {
    firstName,
    lastName: names.join(' '),
    line1: address?.line1 ?? '',
    line2: address?.line2 ?? '',
    postcode: address?.postcode ?? '',
    city: address?.city ?? '',
    country: address?.country ?? 'GB',
    declaredAt: today(),
  });
  const { data: shown } = useQuery<GiftAidTextDto>(`/gift-aid/text${queryOf({ eventId: donation.eventId })}`);
  const text = (name: Parameters<typeof form.field>[0], path: string = name) => {
    const [value, onValue] = form.field(name);
    return { value, onValue, error: form.error(path) };
  };
  const value = (name: Parameters<typeof form.field>[0]) => form.field(name)[0];
  const [country, setCountry] = form.field('country');
  return (
    <FormDialog
      form={form}
      title={t('giftAid.enter')}
      submit={t('action.save')}
      onClose={onClose}
      onSave={async () => {
        const lines = ['line1', 'line2', 'postcode', 'city', 'country'] as const;
        const day = value('declaredAt');
        await api(`/gift-aid/donations/${donation.id}`, {
          method: 'POST',
          body: {
            firstName: value('firstName'),
            lastName: value('lastName'),
            address: Object.fromEntries(lines.map((name) => [name, value(name)])),
            // On the day of the signature, noon may still be in the future.
            ...(day !== today() && { declaredAt: new Date(`${day}T12:00`).toISOString() }),
          },
        });
        changed('/gift-aid', '/donations');
        say(t('state.saved'));
        onClose();
      }}
    >
      {shown && (
        <>
          <p>{t('giftAid.enterText')}</p>
          <LegalText text={shown.text} />
        </>
      )}
      <div class="pair">
        <TextField label={t('giftAid.firstName')} {...text('firstName')} maxLength={35} required autoFocus />
        <TextField label={t('giftAid.lastName')} {...text('lastName')} maxLength={35} required />
      </div>
      <TextField label={t('address.line1')} {...text('line1', 'address.line1')} maxLength={100} required />
      <TextField label={t('address.line2')} {...text('line2', 'address.line2')} maxLength={100} optional />
      <div class="pair">
        <TextField label={t('address.postcode')} {...text('postcode', 'address.postcode')} maxLength={20} />
        <TextField label={t('address.city')} {...text('city', 'address.city')} maxLength={100} required />
      </div>
      <SelectField
        label={t('address.country')}
        value={country}
        choices={namedCountries(localeLanguage()).map(({ code, name }) => ({ value: code, label: name }))}
        onValue={setCountry}
      />
      <TextField label={t('giftAid.signedOn')} type="date" max={today()} {...text('declaredAt')} required />
    </FormDialog>
  );
}
