import { Component, type ComponentChildren, type FunctionComponent, h } from 'preact';

/** A component that is drawn anew only when one of its properties is another one: for the rows of long lists. */
export function memo<Props extends object>(Drawn: FunctionComponent<Props>) {
  return class extends Component<Props> {
    override shouldComponentUpdate(next: Readonly<Props>): boolean {
      const names = Object.keys(next) as (keyof Props)[];
      return names.some((name) => next[name] !== (this.props as Props)[name]);
    }

    override render(): ComponentChildren {
      return h<Props>(Drawn, this.props as Props);
    }
  };
}
