import '../kit/older-browsers.js';
import type { FormModel } from '../../src/pages/donate/donate-form.js';
import type { ThanksModel } from '../../src/pages/donate/thanks-page.js';
import { startForm } from './form.js';
import { answerWebsite } from './framed.js';
import { readKiosk } from './kiosk.js';
import { watchDonation } from './thanks.js';

answerWebsite();
readKiosk();

const model = JSON.parse(document.body.dataset['model'] ?? 'null') as FormModel | ThanksModel | null;

if (model?.page === 'form') startForm(model);
if (model?.page === 'thanks') watchDonation(model);
