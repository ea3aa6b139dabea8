"""A client that Python zeep makes from a WSDL alone. Usage: zeep-client.py WSDL PLATE ...

Prints one line of JSON for each plate: the vehicle with the Python types of its members, or the fault.
"""
import json
import sys

from lxml import etree
import zeep

client = zeep.Client(sys.argv[1])
service = client.bind("VehicleRegistryService")
Fault = client.get_element("{http://lplate.example/vehicle-registry/v1}VehicleNotFoundFault")

for plate in sys.argv[2:]:
    try:
        vehicle = zeep.helpers.serialize_object(service.GetVehicleData(RegNumber=plate), dict)
        types = {name: type(value).__name__ for name, value in vehicle.items()}
        print(json.dumps({"vehicle": vehicle, "types": types}, default=str))
    except zeep.exceptions.Fault as fault:
        [element] = fault.detail
        typed = Fault.parse(element, client.wsdl.types)
        detail = {"RegNumber": typed.RegNumber, "Message": typed.Message}
        print(json.dumps({"fault": fault.code, "name": etree.QName(element).localname, "detail": detail}))
