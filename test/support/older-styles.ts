import type { Page } from 'playwright-core';

/** Parts of selectors that a browser does not know. Such a browser ignores the whole rule. */
const SELECTORS_OF_2022 = [':has(', ':popover-open', ':modal', ':open', ':user-invalid'];
const SELECTORS_OF_2021 = [...SELECTORS_OF_2022, ':focus-visible', '::backdrop', ':fullscreen'];

const PROPERTIES_OF_2022 = ['text-wrap', 'text-wrap-mode', 'text-wrap-style', 'field-sizing', 'translate'];
const PROPERTIES_OF_2021 = [
  ...PROPERTIES_OF_2022,
  'aspect-ratio',
  'accent-color',
  'color-scheme',
  'overscroll-behavior',
  'overscroll-behavior-x',
  'overscroll-behavior-y',
  'text-decoration-thickness',
];

/** Style features that Chrome 103, Firefox 102 and Safari 16 do not have. */
export const STYLES_2022 = { selectors: SELECTORS_OF_2022, properties: PROPERTIES_OF_2022 };
/** Style features that Chrome 90, Firefox 90 and Safari 15.0 do not have. */
export const STYLES_2021 = { selectors: SELECTORS_OF_2021, properties: PROPERTIES_OF_2021 };
/** Style features that Chrome 87 does not have. */
export const STYLES_2020 = {
  ...STYLES_2021,
  selectors: [...SELECTORS_OF_2021, ':is(', ':where('],
};

/**
 * Removes style features from a loaded page, as an older browser ignores them: rules with unknown selectors, unknown
 * properties, layers, container queries and the units of 2022. Returns the number of removed parts.
 */
export const removeStyles = (page: Page, features: typeof STYLES_2022): Promise<number> =>
  page.evaluate(({ selectors, properties }) => {
    const AT_RULES = ['CSSLayerBlockRule', 'CSSContainerRule', 'CSSScopeRule', 'CSSStartingStyleRule'];
    let removed = 0;
    const clean = (list: CSSStyleSheet | CSSGroupingRule): void => {
      for (let index = list.cssRules.length - 1; index >= 0; index -= 1) {
        const rule = list.cssRules[index] as CSSRule;
        const isUnknown =
          rule instanceof CSSStyleRule
            ? selectors.some((part) => rule.selectorText.includes(part))
            : AT_RULES.includes(rule.constructor.name) ||
              (rule instanceof CSSSupportsRule && rule.conditionText.includes('dvh'));
        if (isUnknown) {
          list.deleteRule(index);
          removed += 1;
        } else if (rule instanceof CSSStyleRule) {
          for (const name of properties) if (rule.style.removeProperty(name) !== '') removed += 1;
          if (rule.style.overflowWrap === 'anywhere') rule.style.overflowWrap = 'break-word';
        } else if (rule instanceof CSSGroupingRule) clean(rule);
      }
    };
    for (const sheet of document.styleSheets) clean(sheet);
    return removed;
  }, features);

/**
 * Returns the visible elements that reach over the left or right edge of the screen, by tag and class. Parts of an element
 * that scrolls or cuts its content are not counted.
 */
export const elementsTooWide = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const isInside = (element: Element): boolean => {
      for (let at = element.parentElement; at && at !== document.body; at = at.parentElement)
        if (getComputedStyle(at).overflowX !== 'visible') return true;
      return false;
    };
    return [...document.body.querySelectorAll('*')]
      .filter((element) => {
        const { left, right, width } = element.getBoundingClientRect();
        return width > 1 && (right > innerWidth + 1 || left < -1) && !isInside(element);
      })
      .map((element) => `${element.tagName.toLowerCase()}.${element.classList.value}`);
  });

/**
 * Returns the elements of the dashboard whose content is wider than they are, so that it scrolls or is cut without an
 * ellipsis. Inputs scroll by themselves.
 */
export const contentCutOff = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.body.querySelectorAll('#main *')]
      .filter((element) => {
        const { overflowX, textOverflow, clipPath } = getComputedStyle(element);
        return (
          element.clientWidth > 1 &&
          element.tagName !== 'INPUT' &&
          element.scrollWidth > element.clientWidth + 1 &&
          overflowX !== 'visible' &&
          textOverflow !== 'ellipsis' &&
          clipPath === 'none'
        );
      })
      .map((element) => `${element.tagName.toLowerCase()}.${element.classList.value}`),
  );
