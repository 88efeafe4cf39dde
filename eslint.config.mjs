import js from '@eslint/js';
import css from '@eslint/css';
import compat from 'eslint-plugin-compat';
import esX from 'eslint-plugin-es-x';
import prettier from 'eslint-config-prettier';
import tseslint from 'typescript-eslint';
import library from './eslint/library-rules.mjs';

const ROLE_MESSAGE = 'Check a capability or a scope (src/common/access/principal.ts), never a role.';
const ROLE_NAME = 'Literal[value=/^(ADMIN|ACCOUNTANT|STAFF)$/]';

const ENVIRONMENT_MESSAGE = 'Only src/config reads the environment; use AppConfig.';

/** Newer features that esbuild compiles, or that web/kit/older-browsers.ts adds. */
const COMPILED_OR_ADDED = [
  'no-class-instance-fields',
  'no-class-static-fields',
  'no-class-static-block',
  'no-class-private-fields',
  'no-class-private-methods',
  'no-private-in',
  'no-error-cause',
  'no-array-string-prototype-at',
  'no-string-prototype-at',
  'no-array-prototype-at',
  'no-array-prototype-findlast-findlastindex',
  'no-array-prototype-toreversed',
  'no-object-hasown',
];

const SCRIPTS = ['**/*.{ts,tsx,js,mjs,cjs}'];

/** Newer properties that the oldest browsers of every page have, some with a prefix that esbuild adds. */
const STYLES_IN_ALL = [
  'appearance',
  'inset',
  'inset-block-end',
  'inset-inline-end',
  'inset-inline-start',
  'margin-block',
  'margin-inline',
  'outline',
  'padding-block',
  'padding-inline',
  'user-select',
];

/** Newer style features that change only the look: a browser that ignores them shows a usable, readable page. */
const STYLES_OF_LOOK = {
  allowProperties: [
    'accent-color',
    'color-scheme',
    'overscroll-behavior',
    'resize',
    'text-decoration-thickness',
    'text-size-adjust',
    'text-wrap',
  ],
  allowPropertyValues: {
    'font-family': ['ui-monospace'],
    // The pages for browsers before 2022 state `break-word` first.
    'overflow-wrap': ['anywhere'],
  },
  // A browser that ignores `:focus-visible` draws its own ring. Where an input is invisible, the rule has `:focus` first.
  allowSelectors: ['backdrop', 'focus-visible', 'fullscreen'],
  allowMediaConditions: ['prefers-contrast'],
};

/** Refuses style features that came after `year`, except the named ones. https://web.dev/baseline */
const stylesOf = (files, year, selectors = []) => ({
  files,
  plugins: { css },
  language: 'css/css',
  rules: {
    'css/use-baseline': [
      'error',
      {
        ...STYLES_OF_LOOK,
        available: year,
        allowProperties: [...STYLES_IN_ALL, ...STYLES_OF_LOOK.allowProperties],
        allowSelectors: [...STYLES_OF_LOOK.allowSelectors, ...selectors],
      },
    ],
  },
});

export default tseslint.config(
  {
    ignores: [
      'dist/',
      'dist-sandbox/',
      'coverage/',
      'node_modules/',
      'src/data/generated/',
      '.data/',
      '.cache/',
    ],
  },
  { ...js.configs.recommended, files: SCRIPTS },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      // Nest's modules are classes with only a decorator.
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-unused-vars': [
        'error',
        {
          argsIgnorePattern: '^_',
          varsIgnorePattern: '^_',
          caughtErrorsIgnorePattern: '^_',
          ignoreRestSiblings: true,
        },
      ],
      // A cast shows that the value was checked elsewhere; `!` shows nothing.
      '@typescript-eslint/non-nullable-type-assertion-style': 'off',
      '@typescript-eslint/consistent-type-definitions': 'off',
      '@typescript-eslint/prefer-readonly': 'error',
      // Keys that come from outside are easier to recognize in brackets.
      '@typescript-eslint/dot-notation': ['error', { allowIndexSignaturePropertyAccess: true }],
      // DTO classes are shapes for the validator and the API description; object literals of them are intended.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      // Text is split into code points on purpose.
      '@typescript-eslint/no-misused-spread': [
        'error',
        // DTO classes need no prototype.
        { allow: [{ from: 'lib', name: 'string' }, 'string', { from: 'file', name: 'DonationDto' }] },
      ],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      eqeqeq: ['error', 'always'],
      'no-console': 'error',
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/config/**', '**/*.spec.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: ENVIRONMENT_MESSAGE },
      ],
      // A comparison with a role's name silently decides for every role added later.
      'no-restricted-syntax': [
        'error',
        ...[
          `BinaryExpression > ${ROLE_NAME}`,
          `SwitchCase > ${ROLE_NAME}`,
          `CallExpression > MemberExpression > ArrayExpression ${ROLE_NAME}`,
        ].map((selector) => ({ selector, message: ROLE_MESSAGE })),
      ],
    },
  },
  {
    files: ['**/*.spec.ts', 'test/**/*.ts', 'bench/**/*.ts'],
    rules: {
      // Answer bodies are `any` in supertest; a test with a wrong assumption about them fails.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-empty-function': 'off',
    },
  },
  {
    // JSX passes functions to elements; an async function there is an event handler.
    files: ['web/**/*.{ts,tsx}'],
    rules: { '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: false }] },
  },
  {
    // The oldest browsers of web/README.md. esbuild compiles the syntax for them.
    files: ['web/**/*.{ts,tsx}'],
    plugins: { compat, 'es-x': esX },
    settings: {
      targets: ['chrome >= 87', 'firefox >= 90', 'safari >= 15', 'ios_saf >= 15', 'samsung >= 15'],
      polyfills: ['AbortSignal.timeout', 'Crypto.randomUUID', 'Object.hasOwn'],
      'es-x': { aggressive: true },
    },
    rules: {
      'compat/compat': 'error',
      ...esX.configs['flat/restrict-to-es2021'].rules,
      ...Object.fromEntries(COMPILED_OR_ADDED.map((name) => [`es-x/${name}`, 'off'])),
    },
  },
  {
    files: ['web/{admin,desk}/**/*.{ts,tsx}'],
    settings: { targets: ['chrome >= 103', 'firefox >= 102', 'safari >= 16'] },
  },
  {
    files: ['sandbox/**/*.ts', 'bench/**/*.ts'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['**/*.{js,mjs,cjs}'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
        fetch: 'readonly',
        URL: 'readonly',
        AbortSignal: 'readonly',
        Buffer: 'readonly',
        performance: 'readonly',
        structuredClone: 'readonly',
        module: 'readonly',
      },
    },
  },
  // Baseline 2020 is at most Chrome 87, Firefox 84, Safari 14; 2021 at most Chrome 97, Firefox 95, Safari 15.2.
  stylesOf(['web/{kit,start,notice,accessibility,wall}/**/*.css'], 2020),
  stylesOf(['web/{donate,pos}/**/*.css'], 2020, ['is']),
  stylesOf(['web/{admin,desk}/**/*.css'], 2021),
  {
    files: SCRIPTS,
    plugins: { library },
    rules: Object.fromEntries(Object.keys(library.rules).map((name) => [`library/${name}`, 'error'])),
  },
  {
    // A test may replace a method and count its calls.
    files: ['**/*.spec.ts', 'test/**', 'bench/**'],
    rules: { 'library/no-patching': 'off' },
  },
  {
    // The test samples contain the patterns that the rule forbids.
    files: ['test/scripts/library-rules.spec.ts'],
    rules: { 'library/no-forced-collection': 'off' },
  },
  prettier,
);
