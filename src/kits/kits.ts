import type { Files } from './archive.ts';
import { brunoCollection } from './bruno.ts';
import { brunoFolder } from './bruno-folder.ts';
import { httpFile, restClientFile } from './http-file.ts';
import { hurlFile } from './hurl.ts';
import { insomniaCollection } from './insomnia.ts';
import { postmanCollection, postmanEnvironment } from './postman.ts';
import { soapUiProject } from './soapui.ts';
import { typescriptClient } from './typescript.ts';
import type { Descriptions, Walk } from './walk.ts';

/** What kits are made of. */
interface Material extends Descriptions {
  readonly wsdl: string;
  readonly walk: Walk;
  /** With the flow of people, for tools that run scripts on pages and redirects. */
  readonly longWalk: Walk;
}

export interface Kit {
  /** The name of its file. */
  readonly file: string;
  readonly tool: string;
  readonly type: string;
  /** What to do with it, in a sentence or two. What is between backquotes is code. */
  readonly how: string;
  /** Whether it has credentials, so that it also exists for one's own. */
  readonly credentials: boolean;
  /** A text, or the files of an archive. */
  readonly make: (material: Material) => string | Promise<Files> | Files;
}

const json = 'application/json';
const text = 'text/plain; charset=utf-8';

/** In the order in which they are listed. */
export const kits: readonly Kit[] = [
  {
    file: 'l-plate.postman_collection.json',
    tool: 'Postman',
    type: json,
    how: 'Import, then choose the file. Or run it by Newman: `newman run l-plate.postman_collection.json`.',
    credentials: true,
    make: ({ longWalk }) => postmanCollection(longWalk),
  },
  {
    file: 'l-plate.postman_environment.json',
    tool: 'Postman, an environment',
    type: json,
    how: 'Import it too if you call more than one L-Plate: it has the addresses of this one. `newman run … -e l-plate.postman_environment.json`.',
    credentials: false,
    make: ({ longWalk }) => postmanEnvironment(longWalk),
  },
  {
    file: 'l-plate.bruno.json',
    tool: 'Bruno',
    type: json,
    how: 'Import Collection, then choose the file.',
    credentials: true,
    make: ({ longWalk }) => brunoCollection(longWalk),
  },
  {
    file: 'l-plate-bruno.zip',
    tool: 'Bruno, as a folder',
    type: 'application/zip',
    how: 'Unpack it, then Open Collection; or in the folder `bru run -r --env L-Plate`.',
    credentials: false,
    make: ({ longWalk }) => brunoFolder(longWalk),
  },
  {
    file: 'l-plate.insomnia.json',
    tool: 'Insomnia',
    type: json,
    how: 'Import, then choose the file. Version 9.3 or newer.',
    credentials: true,
    make: ({ longWalk }) => insomniaCollection(longWalk),
  },
  {
    file: 'l-plate.http',
    tool: 'IntelliJ IDEA, httpYac',
    type: text,
    how: 'Open it in an IDE of JetBrains, or in VS Code with the extension httpYac, and run all requests. Or `httpyac send l-plate.http --all`.',
    credentials: true,
    make: ({ walk }) => httpFile(walk),
  },
  {
    file: 'l-plate.rest-client.http',
    tool: 'VS Code, REST Client',
    type: text,
    how: 'Open it in VS Code with the extension REST Client, and send the requests from top to bottom.',
    credentials: true,
    make: ({ walk }) => restClientFile(walk),
  },
  {
    file: 'l-plate.hurl',
    tool: 'Hurl',
    type: text,
    how: '`hurl --test l-plate.hurl`',
    credentials: true,
    make: ({ walk }) => hurlFile(walk),
  },
  {
    file: 'l-plate-soapui-project.xml',
    tool: 'SoapUI',
    type: 'application/xml; charset=utf-8',
    how: 'Import Project, then choose the file. It has the WSDL, a request and a test case.',
    credentials: false,
    make: ({ wsdl, soap }) => soapUiProject(wsdl, soap),
  },
  {
    file: 'l-plate-typescript.zip',
    tool: 'TypeScript',
    type: 'application/zip',
    how: 'Unpack it, then in the folder `npm install` and `npm start`. The first makes types of all calls from this service, by openapi-typescript; the second runs a program that uses them, by openapi-fetch.',
    credentials: false,
    make: ({ publicUrl }) => typescriptClient(publicUrl),
  },
];
