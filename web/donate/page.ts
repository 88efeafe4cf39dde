import '../kit/older-browsers.js';
import type { FormModel } from '../../src/pages/donate/donate-form.js';
import type { ThanksModel } from '../../src/pages/donate/thanks-page.js';
import { startForm } from './form.js';
import type { ReadyModel } from '../../src/pages/ready/ready-forms.js';
import { answerWebsite } from './framed.js';
import { readKiosk } from './kiosk.js';
import { watchDonation } from './thanks.js';

answerWebsite();
readKiosk();

const model = JSON.parse(document.body.dataset['model'] ?? 'null') as
  FormModel | ThanksModel | ReadyModel | null;

if (model?.page === 'form') startForm(model);
if (model?.page === 'thanks') watchDonation(model);
if (model?.page === 'ready') void import('./ready.js').then(({ startReady }) => startReady(model));
