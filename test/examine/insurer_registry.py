"""The vehicle registry of the tests' insurer: SOAP v1 and REST v2. Its vehicles are its own."""

import hashlib
import re
import secrets
import xml.etree.ElementTree as ET
from urllib.parse import unquote, urlsplit
from xml.sax.saxutils import escape

V1, V2 = '/vehicle-registry/v1', '/vehicle-registry/v2'
REGISTRY = 'http://lplate.example/vehicle-registry/v1'
SOAP = 'http://schemas.xmlsoap.org/soap/envelope/'
NEXT = 'http://schemas.xmlsoap.org/soap/actor/next'
NAMES = {
    'RegNumber': 'reg_number', 'VinCode': 'vin_code', 'Make': 'make', 'Model': 'model', 'FirstRegDate': 'first_reg_date',
    'EngineCapacityCcm': 'engine_capacity_ccm', 'FuelType': 'fuel_type', 'OwnerType': 'owner_type',
    'InspectionValidTo': 'inspection_valid_to', 'VehicleStatus': 'vehicle_status',
}
TYPES = {'FirstRegDate': 'date', 'InspectionValidTo': 'date', 'EngineCapacityCcm': 'int'}
OPTIONAL = ['VinCode', 'EngineCapacityCcm', 'InspectionValidTo']
FUELS = ['PETROL', 'DIESEL', 'ELECTRIC', 'HYBRID', 'GAS', 'OTHER']
VIN_LETTERS = 'ABCDEFGHJKLMNPRSTUVWXYZ0123456789'


class Fault(Exception):
    def __init__(self, code, text, detail=''):
        super().__init__(text)
        self.code, self.text, self.detail = code, text, detail


class Builder(ET.TreeBuilder):
    """What a message must not have is refused while it is read."""
    broken = staticmethod(lambda name: False)

    def doctype(self, *_):
        if not self.broken('soap-doctype-taken'):
            raise Fault('Client', 'There is a DOCTYPE.')

    def pi(self, *_):
        if not self.broken('soap-pi-taken'):
            raise Fault('Client', 'There is a processing instruction.')


class Registry:
    def __init__(self, mutant, problem):
        self.mutant, self.problem, self.first = mutant, problem, None
        Builder.broken = staticmethod(mutant)

    def routes(self):
        mutant = self.mutant
        wsdl = f'{V1}/wsdl' if mutant('wsdl-elsewhere') else V1
        vehicles = f'{V2}/vehicles/(.+)' if mutant('v2-below-a-vehicle') else f'{V2}/vehicles/([^/]+)'
        more = [(vehicles, 'POST', None, self.read)] if mutant('v2-by-post') else []
        scope = 'policies:read' if mutant('v2-for-clients') else None
        return [(wsdl, 'GET', None, self.wsdl), (V1, 'POST', None, self.call), (vehicles, 'GET', scope, self.read), *more]

    def vehicle(self, number, salt=''):
        """The facts of a vehicle by the elements of v1, or None."""
        mutant = self.mutant
        match = re.fullmatch('([A-Za-z]{2})-?([0-9]{4})', number)
        if mutant('plate-of-three-letters'):
            match = match or re.fullmatch('([A-Za-z]{3})-?([0-9]{4})', number)
        if mutant('plate-with-any-dashes'):
            match = re.fullmatch('([A-Za-z]{2})-*([0-9]{4})', number)
        if salt == 'v2':
            match = self.v2_match(number, match)
        if match is None:
            return None
        letters, digits = match[1].upper(), match[2]
        if letters in (['ZZ'] if mutant('xx-was-issued') else ['XX', 'ZZ']):
            return None
        if digits == '0000' and not mutant('zeros-were-issued'):
            return None
        plate = letters + digits
        if mutant('vehicle-of-spelling'):
            plate = number
        if mutant('vehicle-of-case'):
            plate = match[1] + digits
        if mutant('v2-other-data'):
            plate += salt
        if mutant('v2-other-each-time') and salt:
            plate += secrets.token_hex(4)
        if mutant('v2-first-for-all') and salt:
            plate = self.first = self.first or plate
        seed = hashlib.sha256(plate.encode()).digest()
        fuel, status = FUELS[seed[0] % 6], ['REGISTERED', 'SUSPENDED', 'DEREGISTERED'][seed[1] % 3]
        facts = {
            'RegNumber': plate if mutant('number-in-capitals') else number,
            'VinCode': ''.join(VIN_LETTERS[byte % len(VIN_LETTERS)] for byte in seed[2:19]) if seed[19] % 4 else None,
            'Make': f'Make {seed[20] % 9}',
            'Model': f'Model & {seed[21]}',
            'FirstRegDate': f'{1990 + seed[22] % 30}-{1 + seed[23] % 12:02d}-{1 + seed[24] % 28:02d}',
            'EngineCapacityCcm': 900 + seed[25] * 10 if fuel != 'ELECTRIC' else None,
            'FuelType': fuel,
            'OwnerType': 'LEGAL_PERSON' if seed[26] % 4 == 0 else 'NATURAL_PERSON',
            'InspectionValidTo': f'{2026 + seed[27] % 5}-06-{1 + seed[28] % 30:02d}' if status != 'DEREGISTERED' else None,
            'VehicleStatus': status,
        }
        if mutant('one-vin-for-all'):
            facts['VinCode'] = 'GNZDP1D04NC383005'
        if mutant('vin-with-o'):
            facts['VinCode'] = 'O' + (facts['VinCode'] or 'A' * 17)[1:]
        if mutant('day-in-german'):
            facts['FirstRegDate'] = '.'.join(reversed(facts['FirstRegDate'].split('-')))
        if mutant('electric-with-engine'):
            facts['FuelType'], facts['EngineCapacityCcm'] = 'ELECTRIC', 1000
        return {name: value for name, value in facts.items() if value is not None}

    # REST v2

    def v2_match(self, number, match):
        mutant = self.mutant
        if mutant('v2-other-digits'):
            return re.fullmatch(r'([A-Za-z]{2})-?(\d{4})', number)
        if mutant('v2-end-of-line'):
            return re.match(r'([A-Za-z]{2})-?([0-9]{4})$', number)
        if mutant('v2-anywhere'):
            return re.search(r'([A-Za-z]{2})-?([0-9]{4})', number)
        if mutant('v2-blanks'):
            return re.fullmatch(r'([A-Za-z]{2})-?([0-9]{4})', number.strip())
        if mutant('v2-capitals'):
            return re.fullmatch(r'([A-Z]{2})-?([0-9]{4})', number)
        if mutant('v2-with-dash'):
            return re.fullmatch(r'([A-Za-z]{2})-([0-9]{4})', number)
        return match

    def read(self, call, number):
        mutant = self.mutant
        number = number if mutant('v2-escaped') else unquote(number)
        facts = self.vehicle(number, 'v2')
        if facts is None:
            if mutant('v2-nothing-is-200'):
                return 200, {}, {}
            raise self.problem('not-found' if mutant('v2-not-found-unnamed') else 'vehicle-not-found', f'No vehicle has {number}.')
        if not mutant('v2-fuel-upper'):
            facts['FuelType'] = facts['FuelType'].lower()
        if mutant('v2-capacity-as-text') and 'EngineCapacityCcm' in facts:
            facts['EngineCapacityCcm'] = str(facts['EngineCapacityCcm'])
        if mutant('v2-null'):
            facts = {name: facts.get(name) for name in NAMES}
        if mutant('v2-model-missing'):
            del facts['Model']
        if mutant('v2-owner-lower'):
            facts['OwnerType'] = facts['OwnerType'].lower()
        if mutant('v2-capacity-0'):
            facts.setdefault('EngineCapacityCcm', 0)
        if mutant('v2-instant'):
            facts['FirstRegDate'] += 'T00:00:00Z'
        if mutant('v2-inspection-of-all'):
            facts.setdefault('InspectionValidTo', '2030-01-01')
        return 200, {name if mutant('v2-camel') else NAMES[name]: value for name, value in facts.items()}, {}

    # SOAP v1

    def call(self, call):
        mutant = self.mutant
        try:
            number = self.asked(call)
            facts = self.vehicle(number)
            if facts is None:
                detail = self.element('VehicleNotFoundFault', {'RegNumber': number, 'Message': f'No vehicle has {number}.'})
                raise Fault('Server' if mutant('soap-not-found-server') else 'Client', 'Not found.', detail)
            if mutant('soap-fuel-lower'):
                facts['FuelType'] = facts['FuelType'].lower()
            if mutant('soap-empty-elements'):
                facts = {name: facts.get(name, '') for name in NAMES}
            if mutant('soap-unordered'):
                facts = dict(sorted(facts.items()))
            if mutant('soap-capacity-with-unit') and 'EngineCapacityCcm' in facts:
                facts['EngineCapacityCcm'] = f'{facts["EngineCapacityCcm"]} ccm'
            if mutant('soap-more-elements'):
                facts['Colour'] = 'red'
            name = 'GetVehicleDataResult' if mutant('soap-result') else 'GetVehicleDataResponse'
            status, inside = 200, self.element(name, facts)
        except Fault as fault:
            status = 200 if mutant('soap-fault-200') else 400 if mutant('soap-fault-400') else 500
            detail = '' if mutant('soap-fault-untyped') else fault.detail and f'<detail>{fault.detail}</detail>'
            code = fault.code if mutant('faultcode-without-prefix') else f's:{fault.code}'
            if mutant('fault-children-in-soap'):
                inside = f'<s:Fault><s:faultcode>{code}</s:faultcode><s:faultstring>{fault.text}</s:faultstring>{detail}</s:Fault>'
            else:
                inside = f'<s:Fault><faultcode>{code}</faultcode><faultstring>{fault.text}</faultstring>{detail}</s:Fault>'
        kind = 'application/soap+xml' if mutant('soap-of-1.2-type') else 'text/xml'
        soap = 'http://www.w3.org/2003/05/soap-envelope' if mutant('soap-of-1.2') else SOAP
        text = f'<s:Envelope xmlns:s="{soap}"><s:Body>{inside}</s:Body></s:Envelope>'
        if mutant('soap-without-envelope'):
            text = inside.replace('<s:Fault', f'<s:Fault xmlns:s="{SOAP}"')
        charset = 'iso-8859-1' if mutant('soap-in-latin-1') else 'utf-8'
        return status, text, {'Content-Type': f'{kind}; charset={charset}'}

    def element(self, name, parts):
        prefix = '' if self.mutant('soap-parts-without-namespace') else 'r:'
        def written(value):
            return str(value) if self.mutant('soap-unescaped') else escape(str(value))
        inside = ''.join(f'<{prefix}{part}>{written(value)}</{prefix}{part}>' for part, value in parts.items())
        return f'<r:{name} xmlns:r="{REGISTRY}">{inside}</r:{name}>'

    def asked(self, call):
        """The number that a call asks for."""
        mutant = self.mutant
        if mutant('soap-by-prefix') and b'<soap:Body>' not in call.body:
            raise Fault('Client', 'There is no soap:Body.')
        try:
            root = ET.XML(call.body, parser=ET.XMLParser(target=Builder()))
        except (ET.ParseError, ValueError, LookupError) as error:
            raise Fault('Server' if mutant('soap-malformed-server') else 'Client', 'It is not XML.') from error
        action = call.headers.get('SOAPAction', '').strip('"' if not mutant('soap-action-in-quotes') else ' ')
        if mutant('soap-action-needed') and not action:
            raise Fault('Client', 'There is no SOAPAction.')
        if action not in ('', f'{REGISTRY}/GetVehicleData') and not mutant('soap-action-free'):
            raise Fault('Client', 'That is another operation.')
        if root.tag != f'{{{SOAP}}}Envelope':
            is_envelope = root.tag.endswith('}Envelope') and not mutant('soap-version-is-client')
            raise Fault('VersionMismatch' if is_envelope else 'Client', 'It is no envelope of SOAP 1.1.')
        for block in root.findall(f'{{{SOAP}}}Header/*'):
            actor = block.get(f'{{{SOAP}}}actor', '')
            for_us = actor in ('', NEXT) or mutant('soap-actor-ignored')
            if for_us and block.get(f'{{{SOAP}}}mustUnderstand') == '1' and not mutant('soap-must-understand-free'):
                raise Fault('MustUnderstand', 'There is a block that is not understood.')
        if mutant('soap-header-needed') and root.find(f'{{{SOAP}}}Header') is None:
            raise Fault('Client', 'There is no header.')
        if mutant('soap-with-credentials') and 'Authorization' not in call.headers:
            raise Fault('Client', 'Who are you?')
        number = self.number_in(root.findall(f'{{{SOAP}}}Body'))
        if mutant('soap-number-by-pattern'):
            return re.search(r'RegNumber>([^<]*)<', call.body.decode())[1]
        return number

    def number_in(self, bodies):
        mutant = self.mutant
        requests = [child for body in bodies for child in body]
        if mutant('soap-first-of-several'):
            requests = requests[:1]
        local = [request.tag.split('}')[-1] for request in requests]
        names = [f'{{{REGISTRY}}}GetVehicleDataRequest']
        if [request.tag for request in requests] != names and not (mutant('soap-any-namespace') and local == ['GetVehicleDataRequest']):
            raise Fault('Client', 'Send one GetVehicleDataRequest.')
        numbers = list(requests[0])
        if mutant('soap-first-number') and numbers:
            numbers = numbers[:1]
        if not numbers and mutant('soap-number-optional'):
            return ''
        if len(numbers) != 1 or len(numbers[0]) or numbers[0].tag != f'{{{REGISTRY}}}RegNumber' and not (
                mutant('soap-any-namespace') and numbers[0].tag.endswith('RegNumber')):
            raise Fault('Client', 'Send one RegNumber.')
        text = numbers[0].text or ''
        if text == '' and mutant('soap-empty-is-client'):
            raise Fault('Client', 'RegNumber is empty.')
        return text.strip() if mutant('soap-number-trimmed') else text

    def wsdl(self, call):
        mutant = self.mutant
        if 'wsdl' not in urlsplit(call.target).query:
            return 200, 'POST an envelope here, or read ?wsdl.', {'Content-Type': 'text/plain'}
        def sequence(name, *parts):
            if mutant('wsdl-order'):
                parts = sorted(parts)
            inside = ''.join(self.declared(part) for part in parts)
            return f'<x:element name="{name}" type="r:{name}Type"/><x:complexType name="{name}Type"><x:sequence>{inside}</x:sequence></x:complexType>'
        def message(name, element):
            kind = 'type' if mutant('wsdl-parts-of-types') else 'element'
            return f'<w:message name="{name}"><w:part name="body" {kind}="r:{element}"/></w:message>'
        form = 'unqualified' if mutant('wsdl-unqualified') else 'qualified'
        fuels = ''.join(f'<x:enumeration value="{fuel}"/>' for fuel in (FUELS[:-1] if mutant('wsdl-fuel-missing') else FUELS))
        action = '' if mutant('wsdl-without-action') else f'{REGISTRY}/GetVehicleData'
        use = 'encoded' if mutant('wsdl-encoded') else 'literal'
        fault = '' if mutant('wsdl-without-fault') else '<w:fault name="VehicleNotFound" message="r:NotFound"/>'
        address = 'http://localhost/registry' if mutant('wsdl-address-elsewhere') else call.url(V1)
        style = 'rpc' if mutant('wsdl-rpc') else 'document'
        transport = 'http://schemas.xmlsoap.org/soap/' + ('smtp' if mutant('wsdl-by-mail') else 'http')
        service = 'VehicleRegistry' if mutant('wsdl-service-name') else 'VehicleRegistryService'
        text = f'''<w:definitions xmlns:w="http://schemas.xmlsoap.org/wsdl/" xmlns:x="http://www.w3.org/2001/XMLSchema"
  xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:r="{REGISTRY}" targetNamespace="{REGISTRY}"><w:types>
<x:schema targetNamespace="{REGISTRY}" elementFormDefault="{form}"><x:simpleType name="Fuel"><x:restriction base="x:string">{fuels}</x:restriction></x:simpleType>
{sequence('GetVehicleDataRequest', 'RegNumber')}{sequence('GetVehicleDataResponse', *NAMES)}{sequence('VehicleNotFoundFault', 'RegNumber', 'Message')}</x:schema></w:types>
{message('In', 'GetVehicleDataRequest')}{message('Out', 'GetVehicleDataResponse')}{message('NotFound', 'VehicleNotFoundFault')}
<w:portType name="VehicleRegistryPortType"><w:operation name="GetVehicleData"><w:input message="r:In"/><w:output message="r:Out"/>{fault}</w:operation></w:portType>
<w:binding name="VehicleRegistryBinding" type="r:VehicleRegistryPortType"><s:binding style="{style}" transport="{transport}"/>
<w:operation name="GetVehicleData"><s:operation soapAction="{action}"/><w:input><s:body use="{use}"/></w:input><w:output><s:body use="{use}"/></w:output>
<w:fault name="VehicleNotFound"><s:fault name="VehicleNotFound" use="literal"/></w:fault></w:operation></w:binding>
<w:service name="{service}"><w:port name="Soap" binding="r:VehicleRegistryBinding"><s:address location="{address}"/></w:port></w:service></w:definitions>'''
        return 200, text, {'Content-Type': 'text/plain' if mutant('wsdl-as-text') else 'text/xml'}

    def declared(self, part):
        kind = 'r:Fuel' if part == 'FuelType' else f'x:{TYPES.get(part, "string")}'
        if self.mutant('wsdl-dates-are-text') and kind == 'x:date':
            kind = 'x:string'
        optional = part in OPTIONAL and not self.mutant('wsdl-all-required')
        return f'<x:element name="{part}" type="{kind}"{" minOccurs=" + chr(34) + "0" + chr(34) if optional else ""}/>'
