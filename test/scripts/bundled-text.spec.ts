import { createContext, runInContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { namedByLanguage, withOurHelpers } from '../../scripts/bundled-text.mjs';

/** What some text makes, and what it was named with. */
function run(text: string): { value: unknown; defined: string[] } {
  const defined: string[] = [];
  const __name = (target: object, value: string) => {
    defined.push(value);
    return Object.defineProperty(target, 'name', { value, configurable: true });
  };
  return { value: runInContext(text, createContext({ __name })), defined };
}

describe('the text of the bundle', () => {
  it.each([
    ['a declaration', 'function gift(){}__name(gift,"gift");gift.name', 'gift'],
    [
      'two of them',
      'function gift(){}function card(){}__name(gift,"gift"),__name(card,"card");card.name',
      'card',
    ],
    ['a variable', 'var gift=__name(()=>1,"gift");gift.name', 'gift'],
    ['a variable that was renamed', 'var gift2=__name(()=>1,"gift");gift2.name', 'gift'],
    ['a function with a name of its own', 'var gift2=__name(function gift(){},"gift");gift2.name', 'gift'],
    ['an assignment', 'var gift;gift=__name(async()=>1,"gift"),gift.name', 'gift'],
    ['a property', '({gift:__name(function(){},"gift")}).gift.name', 'gift'],
    ['a property of another name', 'var o={};o.give=__name(function(){},"gift");o.give.name', 'gift'],
    ['a default', 'function of(gift=__name(()=>1,"gift")){return gift.name}__name(of,"of");of()', 'gift'],
    ['a class', 'class Gift{static{__name(this,"Gift")}}Gift.name', 'Gift'],
    ['one in a variable', 'var Gift=class{static{__name(this,"Gift")}static of=1};Gift.name', 'Gift'],
    [
      'one in another',
      'var outer=__name(()=>{let inner=__name(()=>1,"inner");return inner.name},"outer");outer()',
      'inner',
    ],
  ])('names %s by the language', (_, text, name) => {
    expect(run(text).value).toBe(name);
    const { value, defined } = run(namedByLanguage(text));
    expect([value, defined]).toEqual([name, []]);
  });

  it.each([
    ['a declaration that was renamed', 'function gift2(){}__name(gift2,"gift");gift2.name', 'gift'],
    ['a class that was renamed', 'var Gift2=class{static{__name(this,"Gift")}};Gift2.name', 'Gift'],
    [
      'one that names itself',
      'var Gift=class _Gift{static{__name(this,"Gift")}static of=_Gift};Gift.name',
      'Gift',
    ],
  ])('still defines the name of %s', (_, text, name) => {
    const { value, defined } = run(namedByLanguage(text));
    expect([value, defined]).toEqual([name, [name]]);
  });

  it('leaves the rest as it is', () => {
    const text = 'var a=1;function b(){return a}__name(b,"c");if(a)__name(b,"b");b()';
    expect(namedByLanguage(text)).toBe('var a=1;function b(){return a}__name(b,"c");if(a);b()');
  });

  it('fails where the helpers are written in another way, and needs none where there are none', () => {
    expect(withOurHelpers('var a=1')).toBe('var a=1');
    expect(() => withOurHelpers('var __toESM=(other)=>other')).toThrow("esbuild's helper is not as expected");
  });
});
