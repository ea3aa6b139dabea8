import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wsdl } from '../../src/vehicle-registry/wsdl.ts';
import { checkMessage, checkWsdl, parseXml, prefixes, textAt } from './xml.ts';

const address = 'http://localhost:8080/vehicle-registry/v1';
const text = wsdl(address);
const document = parseXml(text);
const names = (path: string) => document.find(path, prefixes).map((node) => node.content);

test('Legacy SOAP operation: the WSDL is valid WSDL 1.1', () => {
  checkWsdl(text);
  // The rules do refuse something.
  assert.throws(() => checkWsdl(text.replace('<wsdl:part name', '<wsdl:part nom')), /nom/);
  assert.throws(() => checkWsdl(text.replace('style="document"', 'style="documents"')), /documents/);
});

test('Legacy SOAP operation: names are those of the specification', () => {
  const namespace = 'http://lplate.example/vehicle-registry/v1';
  assert.deepEqual(names('/w:definitions/@targetNamespace'), [namespace]);
  assert.deepEqual(names('//w:service/@name'), ['VehicleRegistryService']);
  assert.deepEqual(names('//w:portType/@name'), ['VehicleRegistryPortType']);
  assert.deepEqual(names('//w:binding/@name'), ['VehicleRegistryBinding']);
  assert.deepEqual(names('//w:operation/@name'), ['GetVehicleData', 'GetVehicleData']);
  assert.deepEqual(names('//s:operation/@soapAction'), [`${namespace}/GetVehicleData`]);
  assert.deepEqual(names('//s:binding/@style'), ['document']);
  assert.deepEqual(names('//s:binding/@transport'), ['http://schemas.xmlsoap.org/soap/http']);
  assert.deepEqual(names('//s:body/@use | //s:fault/@use'), ['literal', 'literal', 'literal']);
  assert.deepEqual(names('//w:message/@name'), ['GetVehicleDataRequest', 'GetVehicleDataResponse', 'VehicleNotFound']);
  assert.deepEqual(names('//w:fault/@name'), ['VehicleNotFound', 'VehicleNotFound']);
  assert.deepEqual(names('//s:fault/@name'), ['VehicleNotFound']);
  assert.deepEqual(names('//x:schema/@elementFormDefault'), ['qualified']);
});

test('Legacy SOAP operation: every name that the WSDL refers to is there', () => {
  const references = [
    ['//w:part/@element', '//x:schema/x:element/@name'],
    ['//w:portType//@message', '//w:message/@name'],
    ['//w:binding/@type', '//w:portType/@name'],
    ['//w:port/@binding', '//w:binding/@name'],
  ] as const;
  for (const [from, to] of references) {
    const known = names(to);
    for (const reference of names(from)) assert(known.includes(reference.replace(/^tns:/, '')), reference);
  }
});

test('Resources, vehicle data: the schema has the elements of the specification, in order, with their types', () => {
  const elements = (name: string) =>
    document
      .find(`//x:schema/x:element[@name="${name}"]//x:element`, prefixes)
      .map((node) => ['name', 'type', 'minOccurs'].map((at) => node.get(`@${at}`)?.content ?? '1').join(' '));
  assert.deepEqual(elements('GetVehicleDataRequest'), ['RegNumber xsd:string 1']);
  assert.deepEqual(elements('GetVehicleDataResponse'), [
    'RegNumber xsd:string 1',
    'VinCode xsd:string 0',
    'Make xsd:string 1',
    'Model xsd:string 1',
    'FirstRegDate xsd:date 1',
    'EngineCapacityCcm xsd:int 0',
    'FuelType tns:FuelType 1',
    'OwnerType xsd:string 1',
    'InspectionValidTo xsd:date 0',
    'VehicleStatus xsd:string 1',
  ]);
  assert.deepEqual(elements('VehicleNotFoundFault'), ['RegNumber xsd:string 1', 'Message xsd:string 1']);
  assert.deepEqual(names('//x:enumeration/@value'), ['PETROL', 'DIESEL', 'ELECTRIC', 'HYBRID', 'GAS', 'OTHER']);
});

test('Legacy SOAP operation: a request by the schema is a message that the schema takes', () => {
  const { e, v } = prefixes;
  const request = (content: string) =>
    `<e:Envelope xmlns:e="${e}" xmlns="${v}"><e:Body><GetVehicleDataRequest>${content}</GetVehicleDataRequest></e:Body></e:Envelope>`;
  checkMessage(request('<RegNumber>AB-1234</RegNumber>'));
  checkMessage(request('<RegNumber/>'));
  assert.throws(() => checkMessage(request('')), /RegNumber/);
});

test('Decisions, vehicle registry: the WSDL says where the service is, whatever characters the address has', () => {
  for (const where of [address, 'https://lplate.example/vehicle-registry/v1', 'http://[::1]:8080/a?b=1&c="<d>\'']) {
    assert.equal(textAt(parseXml(wsdl(where)), '//s:address/@location'), where);
  }
});
