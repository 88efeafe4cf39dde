// Rules that limit this code to the documented API of Node and of libraries, so that no update breaks it silently.
// A trick with a multiple gain stays in one file, with `eslint-disable-next-line library/… -- reason and figure`.
import { existsSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { basename, join } from 'node:path';
import { KNOWN } from './known-tricks.mjs';
import { Any, isClass, isHidden, isMade, isMethod, isProtected, typesOf, Unknown } from './types.mjs';

const ROOT = join(import.meta.dirname, '..');

/** Methods of Node streams that Node's documentation allows subclasses to override. */
const STREAM_HOOKS = new Set([
  '_read',
  '_write',
  '_writev',
  '_final',
  '_transform',
  '_flush',
  '_destroy',
  '_construct',
]);
/** Internal files whose import is documented by their package. */
const DOCUMENTED_FILES = new Set(['ajv/dist/2020.js', 'axe-core/axe.min.js', '@stripe/stripe-js/pure']);

const isUnderscored = (name) => /^_./.test(name);
const STALE =
  'eslint/known-tricks.mjs lists this file for {{name}}, but the file does not use it: remove the entry.';

/** Creates a rule that allows the known exceptions and reports outdated exceptions. */
const rule = (messages, create) => ({
  meta: { type: 'problem', schema: [], messages: { ...messages, stale: STALE } },
  create(context) {
    const name = context.id.replace('library/', '');
    if (!KNOWN[basename(context.filename)]?.[name]) return create(context);
    let found = false;
    const listed = Object.create(context, { report: { value: () => (found = true) } });
    return {
      ...create(listed),
      'Program:exit'(node) {
        if (!found) context.report({ node, messageId: 'stale', data: { name } });
      },
    };
  },
});
const textOf = (node) =>
  node?.type === 'Literal' && typeof node.value === 'string'
    ? node.value
    : node?.type === 'TemplateLiteral' && node.expressions.length === 0
      ? node.quasis[0].value.cooked
      : undefined;
const isCall = ({ callee }, object, methods) =>
  callee.type === 'MemberExpression' &&
  callee.object.type === 'Identifier' &&
  callee.object.name === object &&
  methods.includes(callee.property.name);
const CASTS = new Set(['TSAsExpression', 'TSTypeAssertion', 'TSNonNullExpression', 'TSSatisfiesExpression']);
const uncast = (node) => (CASTS.has(node.type) ? uncast(node.expression) : node);

/** Returns the possible names of a member expression or of a key in a pattern. */
function namesOf({ key, property, computed }, types) {
  const name = key ?? property;
  if (!computed) return [name.name ?? name.value].map(String);
  const text = textOf(name);
  if (text !== undefined) return [text];
  const type = types?.typeOf(name);
  if (!type) return [];
  return (type.isUnion() ? type.types : [type])
    .filter((one) => one.isStringLiteral())
    .map(({ value }) => value);
}

const noPrivateMembers = rule(
  {
    underscored: '`{{name}}` is private to its library: use the documented API.',
    hidden: '`{{name}}` is declared private or internal by its library.',
    cast: 'This cast adds the undeclared member `{{name}}` to an object of a library.',
    any: 'This cast hides the type of a library object, so its private members are not recognized.',
    symbols: 'Symbols of an object are private to the library that made it.',
    prototype: 'The prototype of an object of a library is private to it.',
    file: '`{{name}}` is an inner file of its package: import from the package itself.',
    merged: 'This declaration changes members of the type `{{name}}` of a library.',
  },
  (context) => {
    const types = typesOf(context);
    const report = (node, messageId, name) => context.report({ node, messageId, data: { name } });

    /** @param owner type of the object, if it is known */
    function check(node, name, owner, isOwn) {
      const symbol = owner && types.property(owner, name);
      if (isUnderscored(name)) {
        if (types ? types.isGenerated(symbol) || (types.declaredHere(symbol) && isMade(symbol)) : isOwn)
          return;
        report(node, 'underscored', name);
      } else if (types?.isOfLibrary(symbol) && isHidden(symbol) && !(isOwn && isProtected(symbol)))
        report(node, 'hidden', name);
    }

    /** Returns the first member that a type of this repository adds to a library type. */
    function added(source, target, depth = 0) {
      if (depth > 3 || !types.isLibraryType(source) || types.hasIndex(source)) return undefined;
      for (const member of types.membersOfShapes(target)) {
        const theirs = types.property(source, member.name);
        if (!theirs || isHidden(theirs)) return member.name;
        const deeper = added(types.typeOfProperty(theirs), types.typeOfProperty(member), depth + 1);
        if (deeper) return deeper;
      }
      return undefined;
    }

    /** Returns the expression behind a constant whose declared type is wider. */
    function origin(node) {
      const inner = uncast(node);
      if (inner.type !== 'Identifier' || !(types.typeOf(inner).flags & (Any | Unknown))) return inner;
      const [definition] =
        context.sourceCode.getScope(inner).references.find(({ identifier }) => identifier === inner)?.resolved
          ?.defs ?? [];
      const { init, id } = definition?.node ?? {};
      return definition?.type === 'Variable' && init && id.type === 'Identifier' ? origin(init) : inner;
    }

    function checkCast(node) {
      if (!types || CASTS.has(node.parent.type)) return;
      const inner = origin(node.expression);
      const source = inner.type === 'ObjectExpression' ? types.expected(node) : types.typeOf(inner);
      const target = types.typeOf(node);
      if (!source) return;
      if (target.flags & Any) {
        if (types.isLibraryType(source)) report(node, 'any');
      } else if (!isClass(target)) {
        const name = added(source, target);
        if (name) report(node, 'cast', name);
      }
    }

    function checkImport(node) {
      const specifier = textOf(node.source ?? node.arguments?.[0]);
      if (specifier === undefined || node.importKind === 'type') return;
      if (isInnerFile(specifier)) report(node, 'file', specifier);
    }

    return {
      MemberExpression(node) {
        const owner = types?.typeOf(node.object);
        const isOwn = ['ThisExpression', 'Super'].includes(node.object.type);
        for (const name of namesOf(node, types)) check(node.property, name, owner, isOwn);
      },
      ObjectPattern(node) {
        const owner = types?.typeOf(node);
        for (const property of node.properties)
          if (property.type === 'Property')
            for (const name of namesOf(property, types)) check(property, name, owner, false);
      },
      'PropertyDefinition, MethodDefinition, AccessorProperty'(node) {
        if (!node.parent.parent.superClass) return;
        for (const name of namesOf(node, types))
          if (isUnderscored(name) && !STREAM_HOOKS.has(name)) report(node.key, 'underscored', name);
      },
      CallExpression(node) {
        const reflects =
          isCall(node, 'Reflect', [
            'get',
            'set',
            'has',
            'deleteProperty',
            'defineProperty',
            'getOwnPropertyDescriptor',
          ]) || isCall(node, 'Object', ['defineProperty', 'getOwnPropertyDescriptor', 'hasOwn']);
        const [object, key] = node.arguments;
        if (reflects) {
          const name = textOf(key);
          const owner = name === undefined ? undefined : types?.typeOf(object);
          if (name !== undefined) check(key, name, owner, false);
          if (owner && types.isLibraryType(owner) && !isUnderscored(name) && !types.property(owner, name))
            report(key, 'hidden', name);
        } else if (isCall(node, 'Object', ['getOwnPropertySymbols'])) report(node, 'symbols');
        else if (
          isCall(node, 'Object', ['getPrototypeOf']) ||
          isCall(node, 'Reflect', ['getPrototypeOf', 'ownKeys'])
        ) {
          if (types?.isLibraryType(types.typeOf(object))) report(node, 'prototype');
        } else if (isCall(node, 'process', ['binding'])) report(node, 'hidden', 'process.binding');
        else if (node.callee.name === 'require' || node.callee.property?.name === 'resolve')
          checkImport(node);
      },
      BinaryExpression({ operator, left }) {
        const name = operator === 'in' ? textOf(left) : undefined;
        if (name !== undefined && isUnderscored(name) && name !== '__proto__')
          report(left, 'underscored', name);
      },
      TSAsExpression: checkCast,
      TSTypeAssertion: checkCast,
      ImportDeclaration: checkImport,
      ImportExpression: checkImport,
      ExportNamedDeclaration: checkImport,
      ExportAllDeclaration: checkImport,
      'TSModuleDeclaration[id.type="Literal"]'(node) {
        if (!node.id.value.startsWith('.') && !node.id.value.startsWith('*'))
          report(node.id, 'merged', node.id.value);
      },
    };
  },
);

const manifests = new Map();
function manifestOf(name) {
  if (!manifests.has(name)) {
    const file = join(ROOT, 'node_modules', name, 'package.json');
    manifests.set(name, existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined);
  }
  return manifests.get(name);
}

/** True if an import refers to a file that its package does not export. */
function isInnerFile(specifier) {
  if (/[\\/]node_modules[\\/]/.test(specifier)) return true;
  const [, name, path] = /^(@[^/]+\/[^/]+|[a-z][^/:]*)\/(.+)$/.exec(specifier) ?? [];
  if (
    !path ||
    path === 'package.json' ||
    builtinModules.includes(specifier) ||
    DOCUMENTED_FILES.has(specifier)
  )
    return false;
  const manifest = manifestOf(name);
  // A folder with its own package.json is another documented entry of the package.
  if (!manifest || manifestOf(specifier)) return false;
  return !Object.hasOwn(manifest.exports ?? {}, `./${path}`) || /^(internal|.*\/internal\/.*)$/.test(path);
}

const noPatching = rule(
  {
    method: '`{{name}}` is a method of a library: changing it also changes the calls within the library.',
    prototype: 'Changing the prototype of a library object changes how the library works.',
    listeners: 'Listeners that a library added belong to the library.',
  },
  (context) => {
    const types = typesOf(context);
    const report = (node, messageId, name) => context.report({ node, messageId, data: { name } });
    const isTheirs = (node) => types !== undefined && types.isLibraryType(types.typeOf(node));
    const isTheirMethod = (symbol) => types.isOfLibrary(symbol) && isMethod(symbol);

    function checkTarget(node) {
      if (!types || node.type !== 'MemberExpression' || node.object.type === 'ThisExpression') return;
      const owner = types.typeOf(node.object);
      for (const name of namesOf(node, types))
        if (isTheirMethod(types.property(owner, name))) report(node, 'method', name);
    }

    return {
      AssignmentExpression: ({ left }) => checkTarget(left),
      'UnaryExpression[operator="delete"]': ({ argument }) => checkTarget(argument),
      CallExpression(node) {
        const [target, source] = node.arguments;
        if (isCall(node, 'Object', ['setPrototypeOf']) || isCall(node, 'Reflect', ['setPrototypeOf'])) {
          if (!types || [target, source].some((one) => one && isTheirs(one))) report(node, 'prototype');
        } else if (
          isCall(node, 'Object', ['defineProperty']) ||
          isCall(node, 'Reflect', ['set', 'defineProperty'])
        ) {
          const name = textOf(source);
          if (types && name !== undefined && isTheirMethod(types.property(types.typeOf(target), name)))
            report(node, 'method', name);
        } else if (isCall(node, 'Object', ['assign'])) {
          if (!types || !source || target.type === 'ObjectExpression') return;
          const owner = types.typeOf(target);
          const patched = types
            .propertiesOf(types.typeOf(source))
            .find(({ name }) => isTheirMethod(types.property(owner, name)));
          if (patched) report(node, 'method', patched.name);
        } else if (
          node.callee.type === 'MemberExpression' &&
          ['listeners', 'rawListeners'].includes(node.callee.property.name) &&
          (!types || isTheirs(node.callee.object))
        )
          report(node, 'listeners');
      },
    };
  },
);

const noTextChanges = rule(
  {
    load: 'A bundler must get the files of libraries unchanged.',
    tool: '`{{name}}` parses code: libraries must run as published.',
    evaluated: 'Do not create code from text.',
    written: 'Do not write into an installed package.',
  },
  (context) => ({
    'CallExpression[callee.property.name=/^(onLoad|registerHooks)$/]'(node) {
      context.report({ node, messageId: 'load' });
    },
    ImportDeclaration(node) {
      const { value } = node.source;
      if (/^(magic-string|recast|jscodeshift|acorn|patch-package|@babel\/.*)$/.test(value))
        context.report({ node, messageId: 'tool', data: { name: value } });
      for (const { imported } of node.specifiers)
        if (/^(node:)?module$/.test(value) && /^register(Hooks)?$/.test(imported?.name ?? ''))
          context.report({ node, messageId: 'tool', data: { name: imported.name } });
    },
    'CallExpression[callee.name="eval"], NewExpression[callee.name="Function"], CallExpression[callee.name="Function"]'(
      node,
    ) {
      context.report({ node, messageId: 'evaluated' });
    },
    CallExpression(node) {
      const name = node.callee.property?.name ?? node.callee.name ?? '';
      if (!/^(writeFile|appendFile|copyFile)(Sync)?$/.test(name)) return;
      const path = node.arguments[name.startsWith('copy') ? 1 : 0];
      if (path && context.sourceCode.getText(path).includes('node_modules'))
        context.report({ node, messageId: 'written' });
    },
    'MemberExpression[object.name="require"][property.name=/^(cache|extensions)$/]'(node) {
      context.report({ node, messageId: 'load' });
    },
  }),
);

const COLLECTORS = /^(setFlagsFromString|queryObjects|writeHeapSnapshot|getHeapSnapshot)$/;
const COLLECTING_WORDS =
  /HeapProfiler\.(collectGarbage|takeHeapSnapshot)|queryObjects|--expose[-_]gc|--allow[-_]natives[-_]syntax/;

const noForcedCollection = rule({ collected: 'V8 decides when it collects garbage.' }, (context) => {
  const report = (node) => context.report({ node, messageId: 'collected' });
  return {
    'MemberExpression[property.name="gc"][object.name=/^(global|globalThis|window|self)$/]': report,
    'MemberExpression[computed=true][property.value="gc"]': report,
    'CallExpression[callee.name="gc"]': report,
    Identifier(node) {
      if (COLLECTORS.test(node.name) && node.parent.type !== 'ImportSpecifier') report(node);
    },
    ImportSpecifier(node) {
      if (COLLECTORS.test(node.imported.name)) report(node);
    },
    Literal(node) {
      if (typeof node.value === 'string' && COLLECTING_WORDS.test(node.value)) report(node);
    },
    TemplateElement(node) {
      if (COLLECTING_WORDS.test(node.value.raw)) report(node);
    },
  };
});

/** A version inside these expressions is only printed. It does not select a branch of the code. */
const PRINTS = new Set(['TemplateLiteral', 'Property', 'ArrayExpression']);

const noNodeVersion = rule(
  {
    version:
      'Write one way for all supported versions of Node: check for the documented function, not for the version.',
  },
  (context) => {
    const report = (node) => context.report({ node, messageId: 'version' });
    return {
      'MemberExpression[object.name="process"][property.name=/^versions?$/]'(node) {
        const inner =
          node.parent.type === 'MemberExpression' && node.parent.object === node ? node.parent : node;
        if (!PRINTS.has(inner.parent.type)) report(node);
      },
      'VariableDeclarator[init.name="process"] > ObjectPattern > Property[key.name=/^versions?$/]': report,
      'ImportDeclaration[source.value=/^(node:)?process$/] > ImportSpecifier[imported.name=/^versions?$/]':
        report,
      'ImportDeclaration[source.value="semver"]': report,
    };
  },
);

export default {
  meta: { name: 'library' },
  rules: {
    'no-private-members': noPrivateMembers,
    'no-patching': noPatching,
    'no-text-changes': noTextChanges,
    'no-forced-collection': noForcedCollection,
    'no-node-version': noNodeVersion,
  },
};
