// The import rules of this repository; see docs/ARCHITECTURE.md.
const FEATURES =
  'auth|users|settings|events|staff|terminals|shifts|pledges|donations|payments|receipts|reporting|export|gateway|health|pages|mail|donors|images|secrets|gift-aid|transfers|tributes';

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment:
        'A cycle between decorated classes crashes the start under ES modules. Types count too: two files that need each other are one file.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'features-keep-their-inside',
      comment: 'Never import controllers, guards and statements of another feature.',
      severity: 'error',
      from: { path: `^src/(${FEATURES})/` },
      to: {
        path: `^src/(${FEATURES})/.*\\.(controller|sql|guard)\\.ts$`,
        pathNot: [
          '^src/$1/',
          // Shared parts of statements: lists, files and sums use the same filter; a receipt is queued by the same rule.
          '^src/donations/list/donation-filters\\.sql\\.ts$',
          '^src/mail/receipt-of-donation\\.sql\\.ts$',
          '^src/gift-aid/covering\\.sql\\.ts$',
        ],
      },
    },
    {
      name: 'ground-knows-no-feature',
      severity: 'error',
      from: { path: '^src/(common|data|config|redis|audit|review|documents)/' },
      to: { path: [`^src/(${FEATURES}|outbox|totals|server|operator)/`, '^src/app'] },
    },
    {
      name: 'outbox-and-totals-know-no-feature',
      severity: 'error',
      from: { path: '^src/(outbox|totals)/' },
      to: { path: [`^src/(${FEATURES}|server|operator)/`, '^src/app'] },
    },
    {
      name: 'features-know-no-start',
      comment: 'The server starts the features, never the reverse.',
      severity: 'error',
      from: { path: `^src/(${FEATURES})/` },
      to: { path: '^src/(server|operator)/' },
    },
    {
      name: 'payments-in-one-direction',
      comment: 'Order of imports: providers, booking of facts, intents, refunds, payouts, reconciliation.',
      severity: 'error',
      from: { path: '^src/payments/(providers|booking|intents|refunds|payouts)/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^src/payments/reconciliation/' },
    },
    {
      name: 'booking-knows-no-requests',
      severity: 'error',
      from: { path: '^src/payments/booking/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^src/payments/(intents|refunds|payouts)/' },
    },
    {
      name: 'providers-know-no-booking',
      severity: 'error',
      from: { path: '^src/payments/providers/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^src/payments/(?!providers/)' },
    },
    {
      name: 'config-stands-alone',
      severity: 'error',
      from: { path: '^src/config/' },
      to: { path: '^src/(?!config/)' },
    },
    {
      name: 'lifecycle-imports-nothing',
      severity: 'error',
      from: { path: '^src/donations/lifecycle/donation-lifecycle\\.ts$' },
      to: { path: '.+', pathNot: '^src/data/generated/enums' },
    },
    {
      name: 'stripe-only-in-its-adapter',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/payments/providers/stripe/', '\\.spec\\.ts$'] },
      to: { path: '^node_modules/stripe/' },
    },
    {
      name: 'providers-stay-behind-the-port',
      comment: 'Only the registry imports from the folders of the providers.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: [
          '^src/payments/providers/[^/]+/',
          '^src/payments/providers/provider-registry\\.ts$',
          '\\.spec\\.ts$',
        ],
      },
      to: { path: '^src/payments/providers/[^/]+/', pathNot: '^src/payments/providers/dto/' },
    },
    {
      name: 'providers-know-no-other',
      severity: 'error',
      from: { path: '^src/payments/providers/([^/]+)/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^src/payments/providers/[^/]+/', pathNot: '^src/payments/providers/$1/' },
    },
    {
      name: 'donations-know-no-payments',
      comment: 'Payments change donations, never the reverse.',
      severity: 'error',
      from: { path: '^src/donations/' },
      to: { path: '^src/payments/' },
    },
    {
      name: 'src-is-the-product',
      comment:
        'The sandbox, tests, benchmarks and scripts use HTTP or import the product; the product never imports them.',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(sandbox|test|bench|scripts)/' },
    },
    {
      name: 'sandbox-stands-alone',
      severity: 'error',
      from: { path: '^sandbox/' },
      to: { path: '^(src|bench|scripts)/' },
    },
    {
      name: 'sandbox-imports-flow-one-way',
      comment:
        'Controls, pages and the server import the providers, never the reverse; a provider imports no other.',
      severity: 'error',
      from: { path: '^sandbox/(stripe|paypal|webhooks|calls|common)/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^sandbox/', pathNot: ['^sandbox/$1/', '^sandbox/(webhooks|calls|common)/'] },
    },
    {
      name: 'only-app-module-sees-every-module',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/main\\.ts$', '^src/server/app\\.ts$', '\\.spec\\.ts$'] },
      to: { path: '^src/app\\.module\\.ts$' },
    },
    {
      name: 'no-development-packages',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.spec\\.ts$' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-unresolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: ['^src/data/generated/(?!client|enums)'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.json'],
    },
  },
};
