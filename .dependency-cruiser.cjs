// The import rules of the house; see docs/ARCHITECTURE.md.
const FEATURES =
  'auth|users|settings|events|staff|terminals|shifts|pledges|donations|payments|review|explain|evening|export|gateway|health|pages|mail|donors|images|secrets';

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'A cycle between decorated classes is a crash at start-up under ES modules.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'features-keep-their-inside',
      comment:
        'Of another feature: its services, module, decorators, DTOs and the types at its root; never its controllers, SQL or folders.',
      severity: 'error',
      from: { path: `^src/(${FEATURES})/` },
      to: {
        path: [`^src/(${FEATURES})/[^/]+/`, `^src/(${FEATURES})/.*\\.(controller|sql|guard)\\.ts$`],
        pathNot: [
          '^src/$1/',
          '^src/[^/]+/dto/',
          // The sheet that PDFs are drawn on, the thread that draws them, and the heads of downloads are everybody's.
          '^src/export/(pdf|http|thread)/',
          '\\.(service|module|decorators)\\.ts$',
          // Parts of statements: lists, files and sums filter by the same; a receipt is queued by the same rule.
          '^src/donations/donation-filters\\.sql\\.ts$',
          '^src/mail/receipt-of-donation\\.sql\\.ts$',
        ],
      },
    },
    {
      name: 'ground-knows-no-feature',
      severity: 'error',
      from: { path: '^src/(common|data|config|redis|audit)/' },
      to: { path: [`^src/(${FEATURES}|outbox|totals)/`, '^src/app'] },
    },
    {
      name: 'outbox-and-totals-know-no-feature',
      severity: 'error',
      from: { path: '^src/(outbox|totals)/' },
      to: { path: [`^src/(${FEATURES})/`, '^src/app'] },
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
      from: { path: '^src/donations/donation-lifecycle\\.ts$' },
      to: { path: '.+', pathNot: '^src/data/generated/enums' },
    },
    {
      name: 'stripe-only-in-its-adapter',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/payments/stripe/', '\\.spec\\.ts$'] },
      to: { path: '^node_modules/stripe/' },
    },
    {
      name: 'providers-stay-behind-the-port',
      comment: 'Only the registry knows the folders of the providers.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: ['^src/payments/[^/]+/', '^src/payments/provider-registry\\.ts$', '\\.spec\\.ts$'],
      },
      to: { path: '^src/payments/[^/]+/', pathNot: '^src/payments/dto/' },
    },
    {
      name: 'providers-know-no-other',
      severity: 'error',
      from: { path: '^src/payments/([^/]+)/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^src/payments/[^/]+/', pathNot: ['^src/payments/$1/', '^src/payments/dto/'] },
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
        'The sandbox, tests, benchmarks and scripts are reached over HTTP or import the product, never the reverse.',
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
      name: 'only-app-module-sees-every-module',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/(app|main)[^/]*\\.ts$', '\\.spec\\.ts$'] },
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
      extensions: ['.ts', '.js', '.mjs', '.json'],
    },
  },
};
