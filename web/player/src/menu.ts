import { Button, make, type Icon } from "./dom";

/** A choice of a menu. */
export interface Choice {
  label: string;
  chosen: boolean;
  choose(): void;
}

/** A button with a menu of choices, one of which is selected. */
export class Menu {
  readonly element = make("div", { class: "choice" });
  readonly #button: Button;
  readonly #list: HTMLDivElement;
  #choices: () => Choice[];

  constructor(part: string, choices: () => Choice[]) {
    this.#choices = choices;
    this.#button = new Button(part, () => (this.isOpen ? this.close() : this.open()));
    this.#button.element.setAttribute("aria-haspopup", "menu");
    this.#list = make("div", { role: "menu", part: "menu", class: "menu" });
    this.#list.hidden = true;
    this.element.append(this.#list, this.#button.element);
    this.element.addEventListener("keydown", (event) => this.#onKey(event));
    this.element.addEventListener("focusout", (event) => {
      if (!this.element.contains(event.relatedTarget as Node | null)) this.close();
    });
    this.close();
  }

  get isOpen(): boolean {
    return !this.#list.hidden;
  }

  show(label: string, icon: Icon | undefined, key?: string): void {
    this.#button.show(label, icon, key);
    this.#list.setAttribute("aria-label", label);
  }

  /** The text of a button without an icon. */
  set text(text: string) {
    if (this.#button.element.textContent !== text) this.#button.element.textContent = text;
  }

  open(): void {
    this.#list.replaceChildren(...this.#choices().map((choice) => this.#item(choice)));
    this.#list.hidden = false;
    this.#button.element.setAttribute("aria-expanded", "true");
    this.#focus(this.#items().findIndex((item) => item.getAttribute("aria-checked") === "true"));
  }

  close(): void {
    this.#list.hidden = true;
    this.#button.element.setAttribute("aria-expanded", "false");
  }

  #item({ label, chosen, choose }: Choice): HTMLElement {
    const item = make("div", { role: "menuitemradio", "aria-checked": String(chosen), tabindex: "-1", part: "menu-item" }, label);
    item.addEventListener("click", () => {
      choose();
      this.#leave();
    });
    return item;
  }

  #items(): HTMLElement[] {
    return Array.from(this.#list.children) as HTMLElement[];
  }

  #focus(index: number): void {
    const items = this.#items();
    items[(index + items.length) % items.length]?.focus();
  }

  #leave(): void {
    this.close();
    this.#button.element.focus();
  }

  #onKey(event: KeyboardEvent): void {
    if (!this.isOpen) return;
    const at = this.#items().findIndex((item) => item.matches(":focus"));
    const moves: Record<string, () => void> = {
      ArrowDown: () => this.#focus(at + 1),
      ArrowUp: () => this.#focus(at - 1),
      Home: () => this.#focus(0),
      End: () => this.#focus(-1),
      Escape: () => this.#leave(),
      Enter: () => this.#items()[at]?.click(),
      " ": () => this.#items()[at]?.click(),
    };
    const move = moves[event.key];
    if (event.key !== "Tab") event.stopPropagation(); // the keys of the player do not work in a menu
    if (!move) return;
    event.preventDefault();
    move();
  }
}
