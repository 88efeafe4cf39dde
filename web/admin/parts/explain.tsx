import { useState } from 'preact/hooks';
import type {
  MatchLineDto,
  TotalExplainedDto,
  TotalLineDto,
} from '../../../src/reporting/explain/dto/explain.dto.js';
import { Dialog } from '../../desk/dialog.js';
import { Icon } from '../../desk/icons.js';
import { Failed, NotHere, Skeleton } from '../../desk/states.js';
import { money, number, t, tn, word } from '../../desk/texts.js';
import { isMissingRoute } from '../api/errors.js';
import { useQuery } from '../api/query.js';
import { href } from '../router.js';
import { Ledger, signed } from './ledger.js';

interface ExplainProps {
  readonly eventId: string;
  readonly currency: string;
  readonly name: string;
}

/** Button next to a total that explains its parts. */
export function ExplainButton(props: ExplainProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="linkbutton" onClick={() => setOpen(true)}>
        <Icon name="sum" size={16} />
        {t('explain.action')}
      </button>
      {open && <ExplainDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

function ExplainDialog({ eventId, currency, name, onClose }: ExplainProps & { onClose: () => void }) {
  const { data, error, reload } = useQuery<TotalExplainedDto>(
    `/events/${eventId}/explain-total?currency=${currency}`,
  );
  return (
    <Dialog
      title={t('explain.title')}
      subtitle={`${name} · ${currency.toUpperCase()}`}
      look="wide"
      onClose={onClose}
    >
      {error && (isMissingRoute(error) ? <NotHere /> : <Failed error={error} retry={reload} />)}
      {!data && !error && <Skeleton />}
      {data && <Sum data={data} onClose={onClose} />}
    </Dialog>
  );
}

const Heads = () => (
  <thead class="visually-hidden">
    <tr>
      <th scope="col">{t('explain.what')}</th>
      <th scope="col">{t('donation.many')}</th>
      <th scope="col">{t('donation.amount')}</th>
    </tr>
  </thead>
);

function Sum({ data, onClose }: { data: TotalExplainedDto; onClose: () => void }) {
  const counted = data.lines.filter(({ inTotal }) => inTotal);
  const apart = [
    [t('explain.others'), data.lines.filter(({ inTotal }) => !inTotal)],
    [t('nav.matchPools'), data.matches ?? []],
  ] as const;
  const sum = counted.reduce((so, { amount }) => so + amount, 0);
  return (
    <div class="stack">
      <Ledger explained={data} />
      <h3 class="section__title">{t('explain.lines')}</h3>
      <table class="sum">
        <caption class="visually-hidden">{t('explain.lines')}</caption>
        <Heads />
        <tbody>
          {counted.map((line, index) => (
            <Line key={index} line={line} currency={data.currency} onClose={onClose} />
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{t('ledger.total')}</th>
            <td>{tn('donor.count', data.donorCount)}</td>
            <td class="number">{money(data.total, data.currency)}</td>
          </tr>
        </tfoot>
      </table>
      {sum !== data.total && (
        <p class="note note--bad" role="alert">
          {t('explain.differs', { difference: money(data.total - sum, data.currency) })}
        </p>
      )}
      {apart.map(
        ([title, lines]) =>
          lines.length > 0 && (
            <>
              <h3 class="section__title">{title}</h3>
              <table class="sum sum--others">
                <caption class="visually-hidden">{title}</caption>
                <Heads />
                <tbody>
                  {lines.map((line, index) => (
                    <Line key={index} line={line} currency={data.currency} onClose={onClose} />
                  ))}
                </tbody>
              </table>
            </>
          ),
      )}
    </div>
  );
}

const Line = ({
  line,
  currency,
  onClose,
}: {
  line: TotalLineDto | MatchLineDto;
  currency: string;
  onClose: () => void;
}) => (
  <tr>
    <th scope="row">
      <a href={href('donations', queryOfFilter(line.filter))} onClick={onClose}>
        {word('explain', line.kind)}
        {` · ${'pool' in line ? line.pool : word('type', line.type)}`}
      </a>
    </th>
    <td>{number(line.count)}</td>
    <td class="number">{signed(line.amount, currency)}</td>
  </tr>
);

/** Converts the filter of a line to the query of the donation list. */
const queryOfFilter = (filter: TotalLineDto['filter'] | MatchLineDto['filter']): Record<string, string> =>
  Object.fromEntries(Object.entries(filter).map(([name, value]) => [name, String(value)]));
