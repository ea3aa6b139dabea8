import type { Token, Tokens } from 'marked';
import type { ComponentChildren, JSX } from 'preact';
import type { Guide } from '../../../src/navigation.ts';
import { Code } from '../../parts/parts.tsx';
import { imageOf, type Stop, targetOf, unescaped, withSecret } from './guide.ts';

interface Props {
  readonly tokens: readonly Token[];
  readonly guide: Guide;
  readonly stops: ReadonlyMap<Token, Stop>;
  /** Of the reader's client, for commands that are copied. */
  readonly secret: string | undefined;
}

/** The tokens of Markdown as nodes. HTML in it is shown as the text that it is. */
export function Markdown({ tokens, ...rest }: Props) {
  return <>{tokens.map((token) => block(token, rest))}</>;
}

type Context = Omit<Props, 'tokens'>;

/** The id of an element in the page, of which other parts of the page have some, too. */
export const elementId = ({ slug }: Pick<Stop, 'slug'>) => `guide-${slug}`;

function block(token: Token, context: Context): ComponentChildren {
  const inside = () => inline(token, context);
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'heading': {
      const stop = context.stops.get(token);
      const place = stop && { id: elementId(stop), tabIndex: -1 };
      const Heading = `h${Math.min(token.depth, 6)}` as 'h2';
      // Beside the heading, whose name it would else be a part of.
      return (
        <div class="headed">
          <Heading {...place}>{inside()}</Heading>
          {stop && <Anchor guide={context.guide} stop={stop} />}
        </div>
      );
    }
    case 'paragraph':
      return <p>{inside()}</p>;
    case 'code':
      return <CodeBlock {...(token as Tokens.Code)} secret={context.secret} />;
    case 'list':
      return <List {...(token as Tokens.List)} context={context} />;
    case 'table':
      return <Table {...(token as Tokens.Table)} context={context} />;
    case 'blockquote':
      return <blockquote>{token.tokens?.map((each) => block(each, context))}</blockquote>;
    case 'hr':
      return <hr />;
    case 'html':
      return <p>{token.raw.trim()}</p>;
    default:
      // In the items of a list, text stands beside blocks.
      return inside();
  }
}

function Anchor({ guide, stop }: { readonly guide: Guide; readonly stop: Stop }) {
  return (
    <a class="anchor" href={`#/guides/${guide.name}/${stop.slug}`} aria-label={`Link to “${stop.text}”`}>
      #
    </a>
  );
}

/** Commands and programs are to copy; what they print is to compare. */
function CodeBlock({ lang = '', text, secret }: Tokens.Code & Pick<Props, 'secret'>) {
  if (lang !== 'text' && lang !== '') {
    const label = lang.startsWith('sh') ? 'Commands' : 'Code';
    return <Code text={text} copied={withSecret(text, secret)} label={label} role="group" />;
  }
  return (
    // It scrolls, so the keyboard must reach it.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls
    <pre class="output" tabIndex={0}>
      {text}
    </pre>
  );
}

function List({ ordered, start, items, context }: Tokens.List & { readonly context: Context }) {
  const children = items.map(({ tokens, task, checked }) => (
    <li>
      {task && <input type="checkbox" disabled checked={checked === true} aria-label={checked ? 'Done' : 'To do'} />}
      {tokens.map((each) => block(each, context))}
    </li>
  ));
  return ordered ? <ol start={start === '' ? 1 : start}>{children}</ol> : <ul>{children}</ul>;
}

function Table({ header, rows, align, context }: Tokens.Table & { readonly context: Context }) {
  const sides = align.map((side) => (side ? { class: `align-${side}` } : {}));
  return (
    // It scrolls, so the keyboard must reach it.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls
    <div class="scroll" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {header.map((cell, at) => (
              <th scope="col" {...sides[at]}>
                {inline(cell, context)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells) => (
            <tr>
              {cells.map((cell, at) => (
                <td {...sides[at]}>{inline(cell, context)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** What stands within a line. */
function inline({ tokens, text, raw }: { tokens?: Token[]; text?: string; raw?: string }, context: Context) {
  if (!tokens) return unescaped(text ?? raw ?? '');
  return tokens.map((token): ComponentChildren => {
    const inside = () => inline(token as Tokens.Generic, context);
    switch (token.type) {
      case 'strong':
        return <strong>{inside()}</strong>;
      case 'em':
        return <em>{inside()}</em>;
      case 'del':
        return <del>{inside()}</del>;
      case 'codespan':
        return <code>{token.text}</code>;
      case 'br':
        return <br />;
      case 'link':
        return <Link {...(token as Tokens.Link)} context={context} />;
      case 'image':
        return <Image {...(token as Tokens.Image)} />;
      case 'html':
        return token.raw;
      case 'checkbox':
        return null;
      default:
        return inside();
    }
  });
}

function Link({ href, tokens, context }: Tokens.Link & { readonly context: Context }): JSX.Element {
  const target = targetOf(unescaped(href), context.guide);
  const inside = inline({ tokens }, context);
  // Text that is no link stays as it is.
  return target === undefined ? <span>{inside}</span> : <a href={target}>{inside}</a>;
}

function Image({ href, text }: Tokens.Image): ComponentChildren {
  const source = imageOf(href);
  return source ? <img src={source} alt={text} loading="lazy" /> : text;
}
