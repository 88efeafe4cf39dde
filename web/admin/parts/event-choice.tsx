import { SelectField } from '../../desk/fields.js';
import { t } from '../../desk/texts.js';
import { useEvents } from './events.js';

/** All events (an empty list) or one. Several, which a program has set, stay until another choice. */
export function EventChoice({
  value,
  onValue,
}: {
  value: readonly string[];
  onValue: (ids: string[]) => void;
}) {
  const { data: events = [] } = useEvents();
  const several =
    value.length > 1 ? [{ value: value.join(), label: `${value.length} ${t('nav.events')}` }] : [];
  return (
    <SelectField
      label={t('keys.event')}
      value={value.join()}
      choices={[
        { value: '', label: t('filter.allEvents') },
        ...several,
        ...events.map(({ id, name }) => ({ value: id, label: name })),
      ]}
      onValue={(ids) => onValue(ids ? ids.split(',') : [])}
    />
  );
}
