import js from '@eslint/js';
import prettier from 'eslint-config-prettier';
import tseslint from 'typescript-eslint';
import library from './eslint/library-rules.mjs';

const ROLE_MESSAGE = 'Ask for a capability or a scope (src/common/access/principal.ts), never for a role.';
const ROLE_NAME = 'Literal[value=/^(ADMIN|ACCOUNTANT|STAFF)$/]';

const ENVIRONMENT_MESSAGE = 'Only src/config reads the environment; ask AppConfig.';

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
  js.configs.recommended,
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      // Nest's modules are classes that carry nothing but a decorator.
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
      // A cast says that something was checked elsewhere; `!` says nothing.
      '@typescript-eslint/non-nullable-type-assertion-style': 'off',
      '@typescript-eslint/consistent-type-definitions': 'off',
      '@typescript-eslint/prefer-readonly': 'error',
      // Keys that only the world outside knows read better in brackets.
      '@typescript-eslint/dot-notation': ['error', { allowIndexSignaturePropertyAccess: true }],
      // DTO classes are shapes for the validator and the API description, and literals of them are meant.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      // Text is taken apart by code points on purpose.
      '@typescript-eslint/no-misused-spread': [
        'error',
        // DTO classes have no prototype worth keeping.
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
      // A comparison with a role's name silently decides for every role that is added later.
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
      // Bodies of answers are `any` in supertest, and a test that is wrong about them fails.
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
    // JSX hands functions to elements, and what is not awaited there is an event handler.
    files: ['web/**/*.{ts,tsx}'],
    rules: { '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: false }] },
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
  {
    plugins: { library },
    rules: Object.fromEntries(Object.keys(library.rules).map((name) => [`library/${name}`, 'error'])),
  },
  {
    // A test may stand in for a method, and look at how often it is called.
    files: ['**/*.spec.ts', 'test/**', 'bench/**'],
    rules: { 'library/no-patching': 'off' },
  },
  {
    // Its samples are what the rule looks for.
    files: ['test/scripts/library-rules.spec.ts'],
    rules: { 'library/no-forced-collection': 'off' },
  },
  prettier,
);
