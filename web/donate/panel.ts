interface Action {
  readonly label: string | undefined;
  readonly href?: string;
  readonly act?: () => void;
}

interface Notice {
  readonly title: string | undefined;
  readonly text: string;
  readonly actions: readonly Action[];
}

/** A notice with buttons that replaces the form. Its icon comes from a `<template>` in the page. */
export class Panel {
  private shown: HTMLElement | undefined;

  constructor(private readonly form: HTMLElement) {}

  get isShown(): boolean {
    return this.shown !== undefined;
  }

  show(kind: string, { title, text, actions }: Notice): void {
    this.hide();
    const heading = make('h2', 'notice__title', title);
    heading.tabIndex = -1;
    const links = make('p', 'notice__links');
    actions.forEach((action, index) => {
      links.append(button(action, index > 0), ' ');
    });
    const problem = make('p', 'note note--bad');
    problem.setAttribute('role', 'alert');
    problem.hidden = true;
    this.shown = make('section', 'notice card');
    const icon = document.querySelector<HTMLTemplateElement>(`#${kind}-icon`);
    if (icon) this.shown.append(icon.content.cloneNode(true));
    this.shown.append(heading, make('p', 'notice__text', text), problem, links);
    this.form.hidden = true;
    this.form.before(this.shown);
    heading.focus();
  }

  /** Shows an error in the notice. */
  say(text: string): void {
    const problem = this.shown?.querySelector<HTMLElement>('[role=alert]');
    if (!problem) return;
    problem.textContent = text;
    problem.hidden = false;
  }

  hide(): void {
    this.shown?.remove();
    this.shown = undefined;
    this.form.hidden = false;
  }
}

function make(name: string, className: string, text = ''): HTMLElement {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}

function button({ label, href, act }: Action, quiet: boolean): HTMLElement {
  const made = make(href === undefined ? 'button' : 'a', quiet ? 'button button--quiet' : 'button', label);
  if (href !== undefined) made.setAttribute('href', href);
  else made.setAttribute('type', 'button');
  if (act) made.addEventListener('click', act);
  return made;
}
