import { origin } from '../../api/session.ts';
import { CopyButton } from '../../parts/parts.tsx';

/** What VS Code takes, with the address of this service. It asks for the token itself. */
const configuration = JSON.stringify(
  {
    inputs: [{ type: 'promptString', id: 'lplate-token', description: 'L-Plate token', password: true }],
    servers: {
      'l-plate': {
        type: 'http',
        url: `${origin}/range/v1/mcp`,
        headers: { Authorization: `Bearer \${input:lplate-token}` },
      },
    },
  },
  null,
  2,
);

/** How an assistant in an editor becomes a tutor. */
export function Assistant() {
  return (
    <section aria-labelledby="assistant">
      <h2 id="assistant">A tutor in your editor</h2>
      <p class="prose">
        An assistant that knows MCP can read your calls and explain them. This is for VS Code, in{' '}
        <code>.vscode/mcp.json</code>; <a href="#/guides/assistants">other editors</a>. It asks for a token of yours.
      </p>
      <pre class="wrapped">{configuration}</pre>
      <CopyButton text={configuration} label="Copy" about="the configuration" />
    </section>
  );
}
