import { origin, personalPrefix } from '../../api/session.ts';
import { CopyButton } from '../../parts/parts.tsx';
import { baseAddresses } from './base-addresses.ts';

export function Addresses({ clientId }: { readonly clientId: string }) {
  return (
    <section aria-labelledby="addresses">
      <h2 id="addresses">Your addresses</h2>
      <p class="prose">
        With <code>/for/{clientId}</code> before it, an address says whose call it is where no token does. If you are
        the only one who calls L-Plate from your address, you don’t need it. In a class, or if a call did not count as
        yours, use it for calls without a token.
      </p>
      <table class="addresses stacked">
        <thead>
          <tr>
            <th scope="col">Interface</th>
            <th scope="col">Address, and below it the same with your prefix</th>
          </tr>
        </thead>
        <tbody>
          {baseAddresses.map(({ name, path }) => (
            <tr key={path}>
              <th scope="row">{name}</th>
              <td>
                <Address url={`${origin}${path}`} about={name} />
                <Address url={`${personalPrefix.value}${path}`} about={`${name}, with your prefix`} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Address({ url, about }: { readonly url: string; readonly about: string }) {
  return (
    <div class="row ends address">
      <code>
        {url.split(/(?<=[^/]\/)/).map((part) => (
          <>
            {part}
            <wbr />
          </>
        ))}
      </code>
      <CopyButton text={url} label="Copy" about={about} />
    </div>
  );
}
