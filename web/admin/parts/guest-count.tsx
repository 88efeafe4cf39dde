import { t } from '../../desk/texts.js';

/** Says that the number of guests is unknown. */
export const CountUnknown = ({ retry }: { retry: () => void }) => (
  <p class="totals" role="status">
    {t('guest.countUnknown')}{' '}
    <button type="button" class="linkbutton" onClick={retry}>
      {t('action.retry')}
    </button>
  </p>
);
