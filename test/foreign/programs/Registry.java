import java.util.LinkedHashMap;
import java.util.Map;
import registry.VehicleNotFound;
import registry.VehicleRegistryService;

/** A client that wsimport made of the published WSDL. Arguments: the WSDL, plates. Prints a line of JSON for each plate. */
class Registry {
  public static void main(String[] args) throws Exception {
    var port = new VehicleRegistryService(java.net.URI.create(args[0]).toURL()).getVehicleRegistryPort();
    var request = new registry.GetVehicleDataRequest();
    var json = new com.fasterxml.jackson.databind.ObjectMapper();
    var told = new LinkedHashMap<String, Object>();
    for (int i = 1; i < args.length; i += 1) {
      request.setRegNumber(args[i]);
      try {
        var vehicle = port.getVehicleData(request);
        told.put(args[i], Map.of(
            "make", vehicle.getMake(),
            "firstRegYear", vehicle.getFirstRegDate().getYear(),
            "fuel", vehicle.getFuelType().name(),
            "vin", vehicle.getVinCode() == null ? "none" : vehicle.getVinCode()));
      } catch (VehicleNotFound fault) {
        told.put(args[i], Map.of("notFound", fault.getFaultInfo().getRegNumber(), "says", fault.getMessage()));
      }
    }
    System.out.println(json.writeValueAsString(told));
  }
}
