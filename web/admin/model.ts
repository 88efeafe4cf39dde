import type { AdminModel } from '../../src/pages/admin/admin.service.js';

/** Data that the server sent with the page. */
export const model = JSON.parse(document.body.dataset.model ?? '{}') as AdminModel;
