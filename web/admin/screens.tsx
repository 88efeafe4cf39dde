import { Empty } from '../desk/states.js';
import { t } from '../desk/texts.js';
import { href, usePlace } from './router.js';
import { Account } from './screens/account.js';
import { Audit } from './screens/audit.js';
import { Closing } from './screens/closing.js';
import { Donations } from './screens/donations.js';
import { Donors } from './screens/donors.js';
import { Emails } from './screens/emails.js';
import { EventScreen } from './screens/event.js';
import { Events } from './screens/events.js';
import { GiftAidScreen } from './screens/gift-aid.js';
import { Guests } from './screens/guests.js';
import { MatchPools } from './screens/match-pools.js';
import { Milestones } from './screens/milestones.js';
import { Review } from './screens/review.js';
import { SettingsScreen } from './screens/settings.js';
import { Team } from './screens/team.js';
import { Teams } from './screens/teams.js';
import { Terminals } from './screens/terminals.js';
import { Tonight } from './screens/tonight.js';
import { Users } from './screens/users.js';

/** Shows the screen of the current address. */
export function Screens() {
  const { path } = usePlace();
  const [first = '', second] = path.split('/');
  switch (first) {
    case '':
    case 'tonight':
      return <Tonight />;
    case 'donations':
      return <Donations id={second} />;
    case 'events':
      return second === undefined ? <Events /> : <EventScreen key={second} slug={second} />;
    case 'review':
      return <Review id={second} />;
    case 'closing':
      return <Closing />;
    case 'team':
      return <Team />;
    case 'terminals':
      return <Terminals />;
    case 'guests':
      return <Guests part={second} />;
    case 'match-pools':
      return <MatchPools id={second} />;
    case 'milestones':
      return <Milestones />;
    case 'teams':
      return <Teams />;
    case 'donors':
      return second === 'gift-aid' ? <GiftAidScreen /> : <Donors id={second} />;
    case 'settings':
      return <SettingsScreen section={second} />;
    case 'emails':
      return <Emails />;
    case 'users':
      return <Users />;
    case 'audit':
      return <Audit />;
    case 'account':
      return <Account />;
    default:
      return (
        <Empty title={t('state.noPage')} isPage>
          <a href={href('tonight')}>{t('nav.tonight')}</a>
        </Empty>
      );
  }
}
