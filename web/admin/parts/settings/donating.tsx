import { useState } from 'preact/hooks';
import { CheckField, MoneyField, SelectField, TextField } from '../../../desk/fields.js';
import { exponentOf, money, t } from '../../../desk/texts.js';
import { confirmAbove } from '../../../kit/large-amounts.js';
import { MailOff } from '../mail-off.js';
import { at, type Draft } from '../settings-draft.js';
import { PresetLines, Presets } from './presets.js';

const MODES = ['optional', 'required', 'hidden'] as const;

export function Donating({
  draft,
  currency = draft.settings.payment.currency,
}: {
  draft: Draft;
  currency: string | undefined;
}) {
  const { settings, set } = draft;
  const { donation } = settings;
  const amount = (path: string, label: string, hint?: string) => (
    <MoneyField
      label={label}
      hint={hint}
      currency={currency}
      value={(at(settings, path) as number | null | undefined) ?? null}
      onValue={(value) => value !== undefined && set(path, value === 0 ? null : value)}
      optional
    />
  );
  return (
    <>
      <Presets
        key={`${currency} ${draft.round}`}
        label={t('settings.presets')}
        currency={currency}
        value={donation.presets}
        onValue={(presets) => set('donation.presets', presets)}
      />
      <PresetLines draft={draft} currency={currency} />
      <div class="pair">
        {amount('donation.minAmount', t('settings.least'))}
        {amount('donation.maxAmount', t('settings.most'))}
      </div>
      <div class="pair">
        {amount(
          'donation.confirmOfflineAbove',
          t('settings.confirmAbove'),
          t('settings.confirmAboveHint', {
            limit: money(confirmAbove(null, currency, exponentOf(currency)), currency, { short: true }),
          }),
        )}
        {amount('donation.maxOfflineAmount', t('settings.mostOffline'))}
      </div>
      <fieldset class="field">
        <legend class="field__label">{t('settings.asks')}</legend>
        <div class="pair">
          {(['donorName', 'donorEmail', 'message', 'address'] as const).map((name) => (
            <SelectField
              key={name}
              label={t(`settings.field.${name}`)}
              value={donation.fields[name]}
              choices={MODES.map((value) => ({ value, label: t(`settings.mode.${value}`) }))}
              onValue={(value) => set(`donation.fields.${name}`, value)}
            />
          ))}
        </div>
      </fieldset>
      <CheckField
        label={t('settings.tribute')}
        hint={t('settings.tributeHint')}
        checked={donation.fields.tribute}
        onChecked={(on) => set('donation.fields.tribute', on)}
      />
      <CheckField
        label={t('settings.giftAid')}
        hint={t('settings.giftAidHint')}
        checked={donation.fields.giftAid}
        onChecked={(on) => set('donation.fields.giftAid', on)}
      />
      {donation.fields.giftAid && (
        <SelectField
          label={t('settings.giftAidScope')}
          hint={t('settings.giftAidScopeHint')}
          value={donation.giftAidScope}
          choices={(['this', 'past_and_future'] as const).map((value) => ({
            value,
            label: t(`giftAid.scope.${value}`),
          }))}
          onValue={(value) => set('donation.giftAidScope', value)}
        />
      )}
      <TextField
        label={t('settings.monthlyUrl')}
        hint={t('settings.monthlyUrlHint')}
        type="url"
        value={donation.monthlyUrl ?? ''}
        onValue={(value) => set('donation.monthlyUrl', value.trim() || null)}
      />
      <CheckField
        label={t('settings.showLatest')}
        hint={t('settings.showLatestHint')}
        checked={donation.showLatest}
        onChecked={(on) => set('donation.showLatest', on)}
      />
      <CheckField
        label={t('settings.ownReceipt')}
        checked={donation.receiptDownload}
        onChecked={(on) => set('donation.receiptDownload', on)}
      />
      <CheckField
        label={t('settings.emailReceipt')}
        checked={settings.receipts.email}
        onChecked={(on) => set('receipts.email', on)}
      />
      {settings.receipts.email && <MailOff />}
      {/* A server of an older release does not have these settings. */}
      {at(settings, 'pledges') !== undefined && <PledgeEmails draft={draft} />}
      {at(settings, 'ready') !== undefined && <SavedCards draft={draft} currency={currency} />}
      <CheckField
        label={t('settings.coverFee')}
        hint={t('settings.coverFeeHint')}
        checked={donation.coverFee.offer}
        onChecked={(on) => set('donation.coverFee.offer', on)}
      />
      {donation.coverFee.offer && (
        <div class="pair">
          <FeeShare
            key={draft.round}
            value={donation.coverFee.basisPoints}
            onValue={(value) => set('donation.coverFee.basisPoints', value)}
          />
          <MoneyField
            label={t('settings.feeFixed')}
            currency={currency}
            value={donation.coverFee.fixed}
            onValue={(value) => value !== undefined && set('donation.coverFee.fixed', value ?? 0)}
          />
        </div>
      )}
      <TextField
        label={t('settings.undoMinutes')}
        type="number"
        value={String(donation.undoMinutes)}
        onValue={(value) => set('donation.undoMinutes', Number(value))}
      />
    </>
  );
}

/** The provider's share of a payment, typed in percent. The setting holds hundredths of a percent. */
function FeeShare({ value, onValue }: { value: number; onValue: (basisPoints: number) => void }) {
  const [typed, setTyped] = useState(String(value / 100));
  return (
    <TextField
      label={t('settings.feeShare')}
      type="number"
      step="0.01"
      min={0}
      max={20}
      required
      value={typed}
      onValue={(next) => {
        setTyped(next);
        if (next !== '') onValue(Math.round(Number(next) * 100));
      }}
    />
  );
}

function PledgeEmails({ draft: { settings, set, round } }: { draft: Draft }) {
  const { emails, reminderDays } = settings.pledges;
  return (
    <>
      <CheckField
        label={t('settings.pledgeEmails')}
        hint={t('settings.pledgeEmailsHint')}
        checked={emails}
        onChecked={(on) => set('pledges.emails', on)}
      />
      {emails && !settings.receipts.email && <MailOff />}
      {emails && (
        <ReminderDays
          key={round}
          value={reminderDays}
          onValue={(days) => set('pledges.reminderDays', days)}
        />
      )}
    </>
  );
}

/** The limits of cards that guests save for their pledges. */
function SavedCards({ draft: { settings, set }, currency }: { draft: Draft; currency: string }) {
  const { most, days, secondAdmin, confirmAbove: above } = settings.ready;
  return (
    <>
      <div class="pair">
        <MoneyField
          label={t('settings.readyMost')}
          hint={t('settings.readyMostHint')}
          currency={currency}
          value={most}
          onValue={(value) => value && set('ready.most', value)}
        />
        <TextField
          label={t('settings.readyDays')}
          type="number"
          min={2}
          max={60}
          value={String(days)}
          onValue={(value) => set('ready.days', Number(value))}
        />
      </div>
      <CheckField
        label={t('settings.readySecond')}
        hint={t('settings.readySecondHint')}
        checked={secondAdmin}
        onChecked={(on) => set('ready.secondAdmin', on)}
      />
      {secondAdmin && (
        <MoneyField
          label={t('settings.readyConfirm')}
          hint={t('settings.readyConfirmHint')}
          currency={currency}
          value={above}
          onValue={(value) => value && set('ready.confirmAbove', value)}
        />
      )}
    </>
  );
}

const MOST_REMINDERS = 5;
const LAST_DAY = 120;

/** Reads days such as `2, 7, 21`; undefined if they are not valid. */
function readDays(typed: string): number[] | undefined {
  const days = typed.split(/[\s,;]+/).filter(Boolean);
  const isValid = (day: string) => /^\d{1,3}$/.test(day) && Number(day) >= 1 && Number(day) <= LAST_DAY;
  const isList = days.length <= MOST_REMINDERS && new Set(days.map(Number)).size === days.length;
  return isList && days.every(isValid) ? days.map(Number).sort((one, other) => one - other) : undefined;
}

/** The days on which reminders of pledges are sent, typed as a list. */
function ReminderDays({
  value,
  onValue,
}: {
  value: readonly number[];
  onValue: (days: readonly number[]) => void;
}) {
  const [typed, setTyped] = useState(value.join(', '));
  return (
    <TextField
      label={t('settings.reminderDays')}
      hint={t('settings.reminderDaysHint')}
      error={readDays(typed) ? undefined : t('settings.reminderDaysWrong')}
      value={typed}
      onValue={(next) => {
        setTyped(next);
        const days = readDays(next);
        if (days) onValue(days);
      }}
    />
  );
}
